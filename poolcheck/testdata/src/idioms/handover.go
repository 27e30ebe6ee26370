package idioms

import (
	"bytes"
	"hash"
	"sync"
	"sync/atomic"
)

// sheet counts its users by an atomic; whoever ends the last use puts it.
type sheet struct {
	data []byte
	refs atomic.Int32
	pool *sync.Pool
}

// ok: one more.
func (s *sheet) ref() { s.refs.Add(1) }

// ok: one less; the count decides.
func (s *sheet) unref() {
	switch n := s.refs.Add(-1); {
	case n < 0:
		panic("count below zero")
	case n == 0:
		if s.pool != nil {
			s.pool.Put(s)
		}
	}
}

// ok: the view that is returned holds a use of its own.
type view struct {
	*sheet
	p []byte
}

// ok: ref, then a view, under the deferred unref.
func viewOf(s *sheet, from, to int) view {
	defer s.unref()
	s.ref()
	return view{s, s.data[from:to]}
}

// outWriter is pooled, and writes into memory of its caller.
type outWriter struct {
	out bytes.Buffer
	n   int
}

var outPool = sync.Pool{New: func() any { return new(outWriter) }}

// ok: the result is the caller's memory, or what grew out of it; the pooled
// writer lets go of it before it goes back.
func encodeInto(dst, src []byte) ([]byte, error) {
	w := outPool.Get().(*outWriter)
	w.out = *bytes.NewBuffer(dst[:0])
	defer func() {
		w.out = *bytes.NewBuffer(nil)
		outPool.Put(w)
	}()
	if _, err := w.out.Write(src); err != nil {
		return w.out.Bytes(), err
	}
	return w.out.Bytes(), nil
}

// hasher wraps one of two pooled hashes, told by flags that exclude each
// other.
type hasher struct {
	hash.Hash
	isA, isB bool
}

var hashA, hashB sync.Pool

// ok: at most one of the branches runs.
func (h *hasher) Close() {
	if h.isA && h.Hash != nil {
		h.Reset()
		hashA.Put(h.Hash)
	}
	if h.isB && h.Hash != nil {
		h.Reset()
		hashB.Put(h.Hash)
	}
	h.Hash = nil
}

type output struct {
	p   []byte
	err error
}

var halfPool = sync.Pool{New: func() any { return make([]byte, 1024) }}

// ok: the buffers may change roles; the one that is sent is not the one that
// is put.
func compressed(in []byte, out chan<- output, enc func(dst, src []byte) int) {
	obuf := halfPool.Get().([]byte)
	go func() {
		if n := enc(obuf[8:], in); n > 0 {
			obuf = obuf[:8+n]
		} else {
			obuf, in = in, obuf
		}
		out <- output{p: obuf}
		halfPool.Put(in)
	}()
}
