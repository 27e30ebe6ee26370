package idioms

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"unsafe"
)

// guardedPool drops buffers that have grown too large.
type guardedPool struct{ p sync.Pool }

// ok: Get as the others have it.
func (g *guardedPool) Get() *bytes.Buffer {
	if buf, ok := g.p.Get().(*bytes.Buffer); ok {
		return buf
	}
	return new(bytes.Buffer)
}

// ok: what is not put is left to the collector, on purpose.
func (g *guardedPool) Put(buf *bytes.Buffer) {
	if buf.Cap() > 8<<20 {
		return
	}
	buf.Reset()
	g.p.Put(buf)
}

// ok: a deferred Put that may leave the buffer to the collector.
func (g *guardedPool) write(w io.Writer, v any) error {
	buf := g.Get()
	defer g.Put(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// ok: a Put by hand that may do the same, on each path.
func (g *guardedPool) size(v any) (int, error) {
	buf := g.Get()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		g.Put(buf)
		return 0, err
	}
	n := buf.Len()
	g.Put(buf)
	return n, nil
}

var bytesPool = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

func newBytes() *[]byte { return bytesPool.Get().(*[]byte) }

func reusable(n int) bool { return n < 1<<20 }

// ok: cut to nothing through the pointer, then put, if it is worth it.
func freeBytes(p *[]byte) {
	if reusable(cap(*p)) {
		*p = (*p)[:0]
		bytesPool.Put(p)
	}
}

// ok: the same with an early return.
func freeEarly(p *[]byte) {
	if !reusable(cap(*p)) {
		return
	}
	*p = (*p)[:0]
	bytesPool.Put(p)
}

// ok: a large result is handed over as it is, a small one is copied and its
// memory freed; the free on the error path is not a second one.
func encoded(enc func(*[]byte) error) ([]byte, error) {
	buf := newBytes()
	if err := enc(buf); err != nil {
		freeEarly(buf)
		return nil, err
	}
	var out []byte
	if !reusable(cap(*buf)) {
		out = *buf
	} else {
		out = make([]byte, len(*buf))
		copy(out, *buf)
		freeEarly(buf)
	}
	return out, nil
}

// A tree is encoded by a method that calls itself.
type tree struct {
	leaf []byte
	kids []*tree
}

// ok: appends to a slice of its caller.
func (t *tree) encode(dst *[]byte) error {
	if t.leaf == nil && t.kids == nil {
		return errors.New("empty tree")
	}
	for _, k := range t.kids {
		if err := k.encode(dst); err != nil {
			return err
		}
	}
	*dst = append(*dst, t.leaf...)
	return nil
}

// ok: what is handed over was judged by the size that it has after the call.
func (t *tree) encoded() ([]byte, error) {
	buf := newBytes()
	if err := t.encode(buf); err != nil {
		freeEarly(buf)
		return nil, err
	}
	if !reusable(cap(*buf)) {
		return *buf, nil
	}
	out := bytes.Clone(*buf)
	freeEarly(buf)
	return out, nil
}

// ok: the same with a bytes.Buffer, whose content is handed over.
func indented(g *guardedPool, src []byte) ([]byte, error) {
	buf := g.Get()
	if err := json.Indent(buf, src, "", "\t"); err != nil {
		g.Put(buf)
		return nil, err
	}
	if buf.Cap() > 1<<20 {
		return buf.Bytes(), nil
	}
	out := bytes.Clone(buf.Bytes())
	g.Put(buf)
	return out, nil
}

// ok: the two slices change places, so that the caller's pointer holds the
// result and the pool's gets the old memory.
func escapeInto(buf *[]byte, escape func(dst, src []byte) []byte) {
	dst := newBytes()
	*buf, *dst = escape(*dst, *buf), *buf
	freeBytes(dst)
}

// ok: one exit for all paths.
func gotoFree(w io.Writer, enc func(*[]byte) error) error {
	out := newBytes()
	var n int
	rest := *out
	err := enc(out)
	if err != nil {
		goto free
	}
	rest = *out
	for len(rest) > 0 {
		n, err = w.Write(rest)
		rest = rest[n:]
		if err != nil {
			goto free
		}
	}
free:
	freeBytes(out)
	return err
}

// segment is one piece of a linked queue.
type segment struct {
	next unsafe.Pointer
	vals [64]uint64
	n    int
}

var segmentPool = sync.Pool{New: func() any { return new(segment) }}

// ok: the segment is published by a compare-and-swap; the loser puts its own.
func (s *segment) grow(v uint64) bool {
	ns := segmentPool.Get().(*segment)
	ns.vals[0], ns.n = v, 1
	if atomic.CompareAndSwapPointer(&s.next, nil, unsafe.Pointer(ns)) {
		return true
	}
	ns.n = 0
	segmentPool.Put(ns)
	return false
}

// parser is pooled, and holds its input while it parses.
type parser struct {
	in  []byte
	pos int
}

var parserPool = sync.Pool{New: func() any { return new(parser) }}

// ok: the parser shows the input until its next one.
func newParser(in []byte) *parser {
	p := parserPool.Get().(*parser)
	p.in, p.pos = in, 0
	return p
}

func (p *parser) int() (n int) {
	for ; p.pos < len(p.in); p.pos++ {
		n = 10*n + int(p.in[p.pos]-'0')
	}
	return n
}

// ok: the pooled parser does not outlive the input here.
func parseBody(g *guardedPool, body io.Reader) (int, error) {
	buf := g.Get()
	defer g.Put(buf)
	if _, err := buf.ReadFrom(body); err != nil {
		return 0, err
	}
	payload := buf.Bytes()
	if len(payload) == 0 {
		return 0, errors.New("empty")
	}
	p := newParser(payload)
	n := p.int()
	parserPool.Put(p)
	return n, nil
}
