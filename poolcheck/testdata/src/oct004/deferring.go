package oct004

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"sync"
)

type guardedWriter struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
	quiet  bool
}

// bad: a writer that is closed fails, and loses the buffer; that a mutex is unlocked in
// the end changes nothing.
func (g *guardedWriter) send(v any) error {
	buf := settingPool.Get().(*bytes.Buffer) // want "OCT004: buf is not released.*"
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		settingPool.Put(buf)
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return net.ErrClosed
	}
	_, err := g.w.Write(buf.Bytes())
	settingPool.Put(buf)
	return err
}

// ok: a setting decides on a path that does not fail.
func (g *guardedWriter) sendUnlessQuiet(v any) error {
	buf := settingPool.Get().(*bytes.Buffer)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		settingPool.Put(buf)
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.quiet {
		return nil
	}
	_, err := g.w.Write(buf.Bytes())
	settingPool.Put(buf)
	return err
}

// ok: who unpacks with what could not be reset does not keep it, whatever is deferred.
func (g *guardedWriter) unpack(p []byte) error {
	u := unpackers.Get().(unpacker)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := u.Reset(p); err != nil {
		return err
	}
	err := u.Close()
	unpackers.Put(u)
	return err
}

var parts = sync.Pool{New: func() any { p := make([]byte, 1<<16); return &p }}

// ok: what the rounds have read goes back in the end.
func readParts(r io.ReaderAt, n int, emit func([]byte)) {
	for i := range n {
		p := *parts.Get().(*[]byte)
		p = p[:cap(p)]
		defer parts.Put(&p)
		if _, err := r.ReadAt(p, int64(i)<<16); err != nil {
			continue
		}
		emit(p)
	}
}
