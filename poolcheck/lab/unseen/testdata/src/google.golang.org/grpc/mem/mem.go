// Package mem is a stub with some signatures of google.golang.org/grpc/mem: what
// the programs compile against.
package mem

import (
	"sync"
	"sync/atomic"
)

type BufferPool interface {
	Get(length int) *[]byte
	Put(*[]byte)
}

type simplePool struct{ sync.Pool }

func (p *simplePool) Get(size int) *[]byte {
	bs, ok := p.Pool.Get().(*[]byte)
	if ok && cap(*bs) >= size {
		*bs = (*bs)[:size]
		return bs
	}
	b := make([]byte, size)
	return &b
}

func (p *simplePool) Put(buf *[]byte) { p.Pool.Put(buf) }

var defaultBufferPool BufferPool = &simplePool{}

func DefaultBufferPool() BufferPool { return defaultBufferPool }

type Buffer interface {
	ReadOnlyData() []byte
	Ref()
	Free()
	Len() int
}

type buffer struct {
	origData *[]byte
	data     []byte
	refs     *atomic.Int32
	pool     BufferPool
}

var bufferObjectPool = sync.Pool{New: func() any { return new(buffer) }}
var refObjectPool = sync.Pool{New: func() any { return new(atomic.Int32) }}

func NewBuffer(data *[]byte, pool BufferPool) Buffer {
	b := bufferObjectPool.Get().(*buffer)
	b.origData = data
	b.data = *data
	b.pool = pool
	b.refs = refObjectPool.Get().(*atomic.Int32)
	b.refs.Add(1)
	return b
}

func Copy(data []byte, pool BufferPool) Buffer {
	buf := pool.Get(len(data))
	copy(*buf, data)
	return NewBuffer(buf, pool)
}

func (b *buffer) ReadOnlyData() []byte {
	if b.refs == nil {
		panic("Cannot read freed buffer")
	}
	return b.data
}

func (b *buffer) Ref() {
	if b.refs == nil {
		panic("Cannot ref freed buffer")
	}
	b.refs.Add(1)
}

func (b *buffer) Free() {
	if b.refs == nil {
		panic("Cannot free freed buffer")
	}
	refs := b.refs.Add(-1)
	switch {
	case refs > 0:
		return
	case refs == 0:
		if b.pool != nil {
			b.pool.Put(b.origData)
		}
		refObjectPool.Put(b.refs)
		b.origData = nil
		b.data = nil
		b.refs = nil
		b.pool = nil
		bufferObjectPool.Put(b)
	default:
		panic("Cannot free freed buffer")
	}
}

func (b *buffer) Len() int { return len(b.ReadOnlyData()) }

type SliceBuffer []byte

func (s SliceBuffer) ReadOnlyData() []byte { return s }
func (s SliceBuffer) Ref()                 {}
func (s SliceBuffer) Free()                {}
func (s SliceBuffer) Len() int             { return len(s) }

type BufferSlice []Buffer

func (s BufferSlice) Len() int {
	var length int
	for _, b := range s {
		length += b.Len()
	}
	return length
}

func (s BufferSlice) Ref() {
	for _, b := range s {
		b.Ref()
	}
}

func (s BufferSlice) Free() {
	for _, b := range s {
		b.Free()
	}
}

func (s BufferSlice) Materialize() []byte {
	out := make([]byte, 0, s.Len())
	for _, b := range s {
		out = append(out, b.ReadOnlyData()...)
	}
	return out
}

func (s BufferSlice) MaterializeToBuffer(pool BufferPool) Buffer {
	if len(s) == 1 {
		s[0].Ref()
		return s[0]
	}
	buf := pool.Get(s.Len())
	off := 0
	for _, b := range s {
		off += copy((*buf)[off:], b.ReadOnlyData())
	}
	return NewBuffer(buf, pool)
}
