// Package bug serves streams of one connection, whose frames one goroutine writes.
package bug

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
)

var (
	errDisconnected = errors.New("client disconnected")
	errStreamClosed = errors.New("stream closed")
	errFinished     = errors.New("write called after handler finished")
)

const chunkSize = 4 << 10

var responseStatePool = sync.Pool{
	New: func() any {
		rs := new(responseState)
		rs.bw = bufio.NewWriterSize(chunkWriter{rs}, chunkSize)
		return rs
	},
}

// A frame is written by the connection. Its error goes to done.
type frame struct {
	stream *stream
	status int
	header map[string]string
	data   []byte
	end    bool
	done   chan error
}

func (f *frame) writeTo(w io.Writer) error {
	var head []byte
	head = binary.BigEndian.AppendUint32(head, f.stream.id)
	head = binary.BigEndian.AppendUint16(head, uint16(f.status))
	for _, name := range slices.Sorted(maps.Keys(f.header)) {
		head = append(head, name+": "+f.header[name]+"\n"...)
	}
	if f.end {
		head = append(head, 0)
	}
	head = binary.BigEndian.AppendUint32(head, uint32(len(f.data)))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(f.data)
	return err
}

// A stream is closed when the client resets it or when it ends.
type stream struct {
	id     uint32
	closed chan struct{}
}

type serverConn struct {
	w       io.Writer
	want    chan *frame
	done    chan struct{}
	resets  chan uint32
	mu      sync.Mutex
	streams map[uint32]*stream
}

func newServerConn(w io.Writer, resets chan uint32) *serverConn {
	return &serverConn{
		w:       w,
		want:    make(chan *frame, 8),
		done:    make(chan struct{}),
		resets:  resets,
		streams: make(map[uint32]*stream),
	}
}

// serve writes frames, one at a time and each on a goroutine of its own, so that
// resets are seen while a frame waits for the network.
func (sc *serverConn) serve() {
	defer close(sc.done)
	var waiting []*frame
	wrote := make(chan error, 1)
	writing := false
	for {
		if !writing && len(waiting) > 0 {
			f := waiting[0]
			waiting = waiting[1:]
			writing = true
			go func() {
				err := f.writeTo(sc.w)
				f.done <- err
				wrote <- err
			}()
		}
		select {
		case f := <-sc.want:
			waiting = append(waiting, f)
		case err := <-wrote:
			writing = false
			if err != nil {
				return
			}
		case id, ok := <-sc.resets:
			if !ok {
				return
			}
			sc.closeStream(id)
		}
	}
}

func (sc *serverConn) closeStream(id uint32) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if st := sc.streams[id]; st != nil {
		delete(sc.streams, id)
		close(st.closed)
	}
}

// writeFrame hands a frame to serve and waits until it is written, or until
// there is nobody to write it to.
func (sc *serverConn) writeFrame(f *frame) error {
	f.done = make(chan error, 1)
	select {
	case sc.want <- f:
	case <-sc.done:
		return errDisconnected
	}
	select {
	case err := <-f.done:
		return err
	case <-sc.done:
		return errDisconnected
	case <-f.stream.closed:
		select {
		case err := <-f.done:
			return err
		default:
			return errStreamClosed
		}
	}
}

// handle answers a stream.
func (sc *serverConn) handle(id uint32, handler func(*responseWriter)) {
	st := &stream{id: id, closed: make(chan struct{})}
	sc.mu.Lock()
	sc.streams[id] = st
	sc.mu.Unlock()

	rs := responseStatePool.Get().(*responseState)
	bw := rs.bw
	*rs = responseState{conn: sc, stream: st, bw: bw, header: make(map[string]string)}
	bw.Reset(chunkWriter{rs})
	go func() {
		w := &responseWriter{rs: rs}
		defer sc.closeStream(id)
		handler(w)
		w.finished()
	}()
}

// A responseState is what a response needs, and can be used for another one.
type responseState struct {
	conn   *serverConn
	stream *stream
	bw     *bufio.Writer // writes to a chunkWriter

	header     map[string]string
	status     int
	sentHeader bool
	finished   bool
}

type chunkWriter struct{ rs *responseState }

func (cw chunkWriter) Write(p []byte) (int, error) { return cw.rs.writeChunk(p) }

// writeChunk writes what the bufio.Writer has, and the header before it.
func (rs *responseState) writeChunk(p []byte) (int, error) {
	if !rs.sentHeader {
		rs.sentHeader = true
		end := rs.finished && len(p) == 0
		err := rs.conn.writeFrame(&frame{stream: rs.stream, status: rs.status, header: rs.header, end: end})
		if err != nil {
			return 0, err
		}
		if end {
			return 0, nil
		}
	}
	if len(p) == 0 && !rs.finished {
		return 0, nil
	}
	err := rs.conn.writeFrame(&frame{stream: rs.stream, data: p, end: rs.finished})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// A responseWriter is what handlers have. It is small, since it is not used again.
type responseWriter struct{ rs *responseState }

func (w *responseWriter) Header() map[string]string { return w.rs.header }

func (w *responseWriter) Write(p []byte) (int, error) {
	rs := w.rs
	if rs == nil {
		return 0, errFinished
	}
	if rs.status == 0 {
		rs.status = 200
	}
	return rs.bw.Write(p)
}

func (w *responseWriter) Flush() error {
	rs := w.rs
	if rs.bw.Buffered() > 0 {
		return rs.bw.Flush()
	}
	// The bufio.Writer would not write what is empty.
	_, err := rs.writeChunk(nil)
	return err
}

func (w *responseWriter) finished() {
	rs := w.rs
	rs.finished = true
	w.Flush()
	w.rs = nil
	responseStatePool.Put(rs)
}
