package idioms

import (
	"sync"
)

const chunkSize = 2048

var chunkPool = sync.Pool{New: func() any { return make([]byte, chunkSize) }}

// chunk has bytes from a pool.
type chunk struct {
	data []byte
}

// ok: the chunk has the memory.
func newChunk() *chunk {
	data := chunkPool.Get().([]byte)
	if int64(cap(data)) < chunkSize {
		data = make([]byte, chunkSize)
	}
	return &chunk{data: data[:chunkSize]}
}

func (p *chunk) release() {
	chunkPool.Put(p.data)
	p.data = nil
}
