package idioms

import (
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

// cappedPool takes back what is not too large.
type cappedPool struct{ p sync.Pool }

// shortSender writes through a method of its own.
type shortSender struct {
	pool *cappedPool
	w    io.Writer
}
