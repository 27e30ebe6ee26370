// Package idioms holds ways to use pools that many public modules share. All
// are right, and all must stay silent.
package idioms

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"unsafe"
)

// logBuffer knows the pool that it came from.
type logBuffer struct {
	bs   []byte
	pool *bufferSource
}

type bufferSource struct{ p *sync.Pool }

// ok: the buffer that is handed out remembers its pool.
func (s *bufferSource) Get() *logBuffer {
	b := s.p.Get().(*logBuffer)
	b.bs = b.bs[:0]
	b.pool = s
	return b
}

func (s *bufferSource) put(b *logBuffer) { s.p.Put(b) }

// ok: Free gives the receiver back to the pool that it remembers.
func (b *logBuffer) Free() { b.pool.put(b) }

// event is a log line under construction; the call that ends the chain frees
// it.
type event struct {
	buf []byte
	w   io.Writer
}

var eventPool = sync.Pool{New: func() any { return &event{buf: make([]byte, 0, 500)} }}

// ok: the chain's first link.
func newEvent(w io.Writer) *event {
	e := eventPool.Get().(*event)
	e.buf = e.buf[:0]
	e.w = w
	return e
}

// ok: each link returns its receiver.
func (e *event) str(k, v string) *event {
	if e == nil {
		return e
	}
	e.buf = append(append(append(e.buf, k...), '='), v...)
	return e
}

// ok: the last link writes and puts; a nil event does nothing.
func (e *event) msg(s string) {
	if e == nil {
		return
	}
	e.buf = append(e.buf, s...)
	e.w.Write(e.buf)
	putEvent(e)
}

// ok: events that have grown too large are left to the collector.
func putEvent(e *event) {
	const maxSize = 1 << 16
	if cap(e.buf) > maxSize {
		return
	}
	eventPool.Put(e)
}

// ok: the chain in one expression.
func logOne(w io.Writer) { newEvent(w).str("a", "b").msg("done") }

var boxPool = sync.Pool{New: func() any { return make([]byte, 0, 500) }}

type ring struct{ slot unsafe.Pointer }

// ok: a copy is handed over to the goroutine that polls, by pointer.
func (r *ring) Write(p []byte) (int, error) {
	p = append(boxPool.Get().([]byte), p...)
	atomic.StorePointer(&r.slot, unsafe.Pointer(&p))
	return len(p), nil
}

// ok: what the ring held is written and put, cut to nothing.
func (r *ring) poll(w io.Writer) {
	d := atomic.SwapPointer(&r.slot, nil)
	if d == nil {
		return
	}
	p := *(*[]byte)(d)
	w.Write(p)
	if cap(p) <= 1<<16 {
		boxPool.Put(p[:0])
	}
}

var (
	bufPool  = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzPool   = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}
	hashPool = sync.Pool{New: func() any { return fnv.New32a() }}
	rdPool   = sync.Pool{New: func() any { return bufio.NewReader(nil) }}
	hexPool  = sync.Pool{New: func() any { b := make([]byte, 64); return &b }}
)

// gzipResponse writes through a pooled writer into a pooled buffer.
type gzipResponse struct {
	http.ResponseWriter
	zw  *gzip.Writer
	buf *bytes.Buffer
}

// ok: a middleware's deferred literal uses, closes and puts both objects,
// which the response writer holds meanwhile.
func compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		zw, ok := gzPool.Get().(*gzip.Writer)
		if !ok {
			http.Error(w, "no writer", http.StatusInternalServerError)
			return
		}
		zw.Reset(w)
		buf := bufPool.Get().(*bytes.Buffer)
		buf.Reset()
		gw := &gzipResponse{w, zw, buf}
		defer func() {
			if gw.buf.Len() > 0 {
				gw.buf.WriteTo(w)
				zw.Reset(io.Discard)
			}
			zw.Close()
			bufPool.Put(buf)
			gzPool.Put(zw)
		}()
		next.ServeHTTP(gw, r)
	})
}

// ok: the deferred Reset was registered last, so it runs before the Put.
func decodeSession(p []byte, v any) error {
	buf := bufPool.Get().(*bytes.Buffer)
	defer bufPool.Put(buf)
	defer buf.Reset()
	buf.Write(p)
	if err := gob.NewDecoder(buf).Decode(v); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	return nil
}

// ok: the pool's object is used only if the caller brought none; the defer
// stands inside of the branch.
func partition(h hash.Hash32, key []byte, n int) int {
	if h == nil {
		h = hashPool.Get().(hash.Hash32)
		defer hashPool.Put(h)
	}
	h.Reset()
	h.Write(key)
	return int(h.Sum32()) % n
}

// ok: the slice behind the pointer is replaced when it is too small, encoded
// into, copied into a string, and put.
func hexString(sum []byte) string {
	v := hexPool.Get()
	bp, ok := v.(*[]byte)
	if !ok || bp == nil {
		b := make([]byte, 2*len(sum))
		bp = &b
	}
	b := *bp
	if cap(b) < 2*len(sum) {
		b = make([]byte, 2*len(sum))
	} else {
		b = b[:2*len(sum)]
	}
	*bp = b
	hex.Encode(b, sum)
	s := string(b)
	hexPool.Put(bp)
	return s
}

// pooledBody puts its buffer when the request is done with it.
type pooledBody struct {
	*bytes.Buffer
	pool *sync.Pool
}

// ok: Close is called once, by whoever read the body.
func (b *pooledBody) Close() error {
	if b.Buffer != nil {
		b.pool.Put(b.Buffer)
		b.Buffer = nil
	}
	return nil
}

// ok: the error path puts; the other hands over to the body.
func newBody(src io.Reader) (io.ReadCloser, error) {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	if _, err := buf.ReadFrom(src); err != nil {
		bufPool.Put(buf)
		return nil, err
	}
	return &pooledBody{buf, &bufPool}, nil
}

// ok: a flag tells whether the body came from the pool.
func body(v any, encode func(io.Reader) (io.Reader, error)) (io.Reader, error) {
	var (
		rd       io.Reader
		buf      *bytes.Buffer
		fromPool bool
	)
	switch v := v.(type) {
	case io.Reader:
		rd = v
	default:
		buf = bufPool.Get().(*bytes.Buffer)
		buf.Reset()
		fromPool = true
		fmt.Fprint(buf, v)
		rd = buf
	}
	out, err := encode(rd)
	if fromPool {
		bufPool.Put(buf)
	}
	return out, err
}

// ok: a literal that puts, called on each path that fails; the last path
// hands over.
func collect(src io.Reader, list *[]*bytes.Buffer) error {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	giveUp := func() { bufPool.Put(buf) }
	if _, err := buf.ReadFrom(src); err != nil {
		giveUp()
		return err
	}
	if buf.Len() == 0 {
		giveUp()
		return errors.New("empty")
	}
	*list = append(*list, buf)
	return nil
}

// session keeps a reader from its pool for its own life.
type session struct {
	br  *bufio.Reader
	err error
}

// ok: the constructor's error path puts what the field would have kept.
func newSession(r io.Reader) (*session, error) {
	br := rdPool.Get().(*bufio.Reader)
	br.Reset(r)
	if _, err := br.Peek(1); err != nil {
		br.Reset(nil)
		rdPool.Put(br)
		return nil, err
	}
	return &session{br: br}, nil
}

// ok: the field is emptied before its old value is put, so that a second Close
// does nothing.
func (s *session) Close() error {
	if br := s.br; br != nil {
		s.br = nil
		br.Reset(nil)
		rdPool.Put(br)
	}
	return s.err
}

// ok: sync.Pool without New: Get may give nil.
var lazyPool sync.Pool

// ok: what Get gave is used if it is large enough, else dropped for a new one.
func scratch(n int) *[]byte {
	if v := lazyPool.Get(); v != nil {
		if bp := v.(*[]byte); cap(*bp) >= n {
			*bp = (*bp)[:n]
			return bp
		}
	}
	b := make([]byte, n)
	return &b
}

// ok: an object that is too small goes back and a larger one is made.
func scratchPutBack(n int) *[]byte {
	bp, _ := lazyPool.Get().(*[]byte)
	if bp == nil || cap(*bp) < n {
		if bp != nil {
			lazyPool.Put(bp)
		}
		b := make([]byte, n)
		return &b
	}
	*bp = (*bp)[:n]
	return bp
}
