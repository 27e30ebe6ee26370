package oct004

import (
	"io"
	"sync"
)

type guardedWriter struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
	quiet  bool
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
