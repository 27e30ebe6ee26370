package idioms

import (
	"bytes"
	"io"
	"sync"
)

const chunkSize = 2048

var chunkPool = sync.Pool{New: func() any { return make([]byte, chunkSize) }}

// What the bytes of a chunk are.
const (
	pooledBytes = iota
	foreignBytes
	largeBytes
)

var largePool = sync.Pool{New: func() any { return make([]byte, 0, 1<<20) }}

// chunk has bytes from a pool, unless it shows those of somebody else.
type chunk struct {
	data       []byte
	start, end int
	kind       uint8
	from       *string
}

// ok: the chunk has the memory.
func newChunk() *chunk {
	data := chunkPool.Get().([]byte)
	if int64(cap(data)) < chunkSize {
		data = make([]byte, chunkSize)
	}
	return &chunk{data: data[:chunkSize]}
}

func (p *chunk) clear() {
	p.start, p.end = 0, 0
}

// ok: clear leaves the kind alone, so that only the size is left to decide.
func (p *chunk) release() {
	if p == nil || p.data == nil || p.kind == foreignBytes {
		return
	}
	data := p.data
	p.data = nil
	p.clear()
	switch p.kind {
	case pooledBytes:
		if cap(data) == chunkSize {
			chunkPool.Put(data)
		}
	case largeBytes:
		largePool.Put(data)
	}
	p.from = nil
}

// ok: release puts what came from the pool.
func readChunk(r io.Reader) (*chunk, error) {
	p := newChunk()
	n, err := r.Read(p.data)
	p.end = n
	if n > 0 {
		return p, err
	}
	p.release()
	return nil, err
}

// growingPool hands out slices of the length that is asked for.
type growingPool struct{ p sync.Pool }

// ok: a slice that is too small for what is asked is replaced, on purpose.
func (g *growingPool) get(n int) []byte {
	b := g.p.Get().(*[]byte)
	if cap(*b) == 0 {
		*b = make([]byte, n)
		return *b
	}
	if n < cap(*b) {
		*b = (*b)[:n]
		return *b
	} else if n == cap(*b) {
		*b = (*b)[:n]
		return *b
	} else if n > cap(*b) {
		println("too small")
	}
	*b = make([]byte, n, 2*n)
	return *b
}

// cappedPool takes back what is not too large.
type cappedPool struct{ p sync.Pool }

func (s *cappedPool) Get() *bytes.Buffer {
	if b, ok := s.p.Get().(*bytes.Buffer); ok {
		return b
	}
	return new(bytes.Buffer)
}

func (s *cappedPool) Put(b *bytes.Buffer) {
	if b.Cap() > 1<<20 {
		return
	}
	b.Reset()
	s.p.Put(b)
}

// shortSender writes through a method of its own.
type shortSender struct {
	pool *cappedPool
	w    io.Writer
}

func (s *shortSender) write(p []byte) error { _, err := s.w.Write(p); return err }

// ok: that the second Put decides by a size, too, does not change why the first did.
func (s *shortSender) send(p []byte) error {
	whole := bytes.NewBuffer(p)
	defer s.pool.Put(whole)
	short := s.pool.Get()
	defer s.pool.Put(short)
	short.Write(whole.Next(8))
	return s.write(short.Bytes())
}

// giveBack puts a slice back that is large enough, and says whether it did.
func giveBack(b []byte) bool {
	if cap(b) < 64 {
		return false
	}
	chunkPool.Put(b)
	return true
}

// ok: the helper says whether the slice is still the function's.
func writeOrGiveBack(w io.Writer, b []byte) {
	if !giveBack(b) {
		w.Write(b)
	}
}
