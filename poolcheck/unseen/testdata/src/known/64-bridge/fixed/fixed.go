// Package fixed runs handlers of net/http in another server.
package fixed

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

const bufferSize = 32 << 10

var buffers = sync.Pool{
	New: func() any {
		b := make([]byte, bufferSize)
		return &b
	},
}

// A call is a request and its response in the other server.
type call struct {
	conn   net.Conn
	req    *http.Request
	status int
	header http.Header
	body   []byte
	stream func(w *bufio.Writer)
	// The server calls takeover instead of answering.
	takeover func(net.Conn)
}

func (c *call) setBody(p []byte) { c.body = append(c.body[:0], p...) }

const (
	modeDone = iota + 1
	modeFlushed
	modeTaken
	modePanicked
)

// A responseWriter keeps what is written, until it is flushed.
type responseWriter struct {
	call   *call
	header http.Header
	status atomic.Int64

	mu   sync.Mutex
	body []byte
	buf  *[]byte // what body was begun in

	pr *io.PipeReader
	pw *io.PipeWriter

	taken     atomic.Bool
	mode      chan int
	streaming chan struct{}
	flushOnce sync.Once
	closeOnce sync.Once
}

func newResponseWriter(c *call) *responseWriter {
	pr, pw := io.Pipe()
	return &responseWriter{
		call:      c,
		header:    make(http.Header),
		pr:        pr,
		pw:        pw,
		mode:      make(chan int, 1),
		streaming: make(chan struct{}),
	}
}

func (w *responseWriter) release() {
	w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.buf != nil {
		buffers.Put(w.buf)
		w.buf = nil
	}
}

func (w *responseWriter) Header() http.Header { return w.header }

func (w *responseWriter) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("status %d", status))
	}
	w.status.CompareAndSwap(0, int64(status))
}

func (w *responseWriter) statusCode() int {
	if n := w.status.Load(); n != 0 {
		return int(n)
	}
	return http.StatusOK
}

func (w *responseWriter) Write(p []byte) (int, error) {
	select {
	case <-w.streaming:
		return w.pw.Write(p)
	default:
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if w.taken.Load() {
		return 0, http.ErrHijacked
	}
	if w.body == nil {
		w.buf = buffers.Get().(*[]byte)
		w.body = (*w.buf)[:0]
	}
	w.body = append(w.body, p...)
	*w.buf = w.body
	return len(p), nil
}

// unflushed returns what was written and not sent.
func (w *responseWriter) unflushed() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.body
}

func (w *responseWriter) Flush() {
	w.flushOnce.Do(func() { w.signal(modeFlushed) })
	<-w.streaming
}

func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if !w.taken.CompareAndSwap(false, true) {
		return nil, nil, http.ErrHijacked
	}
	conn := &takenConn{Conn: w.call.conn, closed: make(chan struct{})}
	w.call.takeover = func(net.Conn) { <-conn.closed }
	bw := bufio.NewWriter(conn)
	if p := w.unflushed(); len(p) > 0 {
		if _, err := bw.Write(p); err != nil {
			conn.Close()
			return nil, nil, err
		}
	}
	w.signal(modeTaken)
	return conn, bufio.NewReadWriter(bufio.NewReader(conn), bw), nil
}

// signal selects the mode, unless one was selected.
func (w *responseWriter) signal(mode int) {
	select {
	case w.mode <- mode:
	default:
	}
}

func (w *responseWriter) Close() error {
	w.closeOnce.Do(func() {
		w.pw.Close()
		w.pr.Close()
	})
	return nil
}

type takenConn struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *takenConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { close(c.closed) })
	return err
}

func (w *responseWriter) run(h http.Handler) {
	defer func() {
		if p := recover(); p != nil {
			log.Printf("panic in a handler: %v", p)
			w.signal(modePanicked)
		} else {
			w.signal(modeDone)
		}
		w.pw.Close()
	}()
	h.ServeHTTP(w, w.call.req)
}

// bridge returns a handler for the other server.
func bridge(h http.Handler) func(*call) {
	return func(c *call) {
		w := newResponseWriter(c)
		go w.run(h)

		// What the handler does first says how to go on.
		switch <-w.mode {
		case modeDone:
			c.status = w.statusCode()
			c.header = w.header.Clone()
			if p := w.unflushed(); len(p) > 0 {
				if c.header.Get("Content-Type") == "" {
					c.header.Set("Content-Type", http.DetectContentType(p))
				}
				c.setBody(p)
			}
			w.release()

		case modeFlushed:
			c.status = w.statusCode()
			c.header = w.header.Clone()
			c.header.Del("Content-Length")
			c.stream = func(bw *bufio.Writer) {
				defer w.release()
				if p := w.unflushed(); len(p) > 0 {
					bw.Write(p)
					bw.Flush()
				}
				buf := buffers.Get().(*[]byte)
				defer buffers.Put(buf)
				for {
					n, err := w.pr.Read((*buf)[:cap(*buf)])
					if n > 0 {
						if _, err := bw.Write((*buf)[:n]); err != nil {
							return
						}
						if err := bw.Flush(); err != nil {
							return
						}
					}
					if err != nil {
						return
					}
				}
			}
			close(w.streaming)

		case modeTaken:
			w.release()
			return

		case modePanicked:
			w.release()
			panic("the handler panicked")
		}
	}
}
