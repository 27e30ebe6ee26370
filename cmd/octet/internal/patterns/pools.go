package patterns

import (
	"math/bits"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// A pool is what a pattern uses. A call through it costs next to nothing beside the pages
// that every slice has written.
type pool interface {
	get(size int) slice // of that length, with old bytes in it
	put(slice)
}

// A slice is taken from a pool. Its user may append to b before it goes back.
type slice struct {
	b     []byte
	owner any // what the pool needs to take it back without allocating
}

// octetPool is octet with the sizes of its default pools.
type octetPool struct{ p *bytespool.Pool }

func newOctet(opts ...bytespool.Option) func() pool {
	return func() pool { return octetPool{bytespool.NewPool(opts...)} }
}

func (o octetPool) get(size int) slice { return slice{b: o.p.New(size)} }
func (o octetPool) put(s slice)        { o.p.Release(s.b) }

// A grower is a pool that makes its slices longer itself: growing is as the function.
type grower interface {
	growing(first, part, size int) slice
}

// appending is an octetPool whose slices grow by its Append.
type appending struct{ octetPool }

func (o appending) growing(first, part, size int) slice {
	b := o.p.Make(first)
	for len(b) < size {
		b = o.p.Append(b, text[:min(part, size-len(b))]...)
	}
	return slice{b: b}
}

// octetBuffers is octet's Buffers, used by their field B.
type octetBuffers struct{}

func (octetBuffers) get(size int) slice {
	b := buffer.Make(size)
	return slice{b.B[:size], b}
}

func (octetBuffers) put(s slice) {
	b := s.owner.(*buffer.Buffer)
	b.B = s.b
	b.Release()
}

// octetWriters is octet's Buffers, to which is written whatever size was asked for.
type octetWriters struct{ octetBuffers }

func (octetWriters) growing(_, part, size int) slice {
	b := buffer.Get()
	for b.Len() < size {
		b.Write(text[:min(part, size-b.Len())])
	}
	return slice{b.B, b}
}

// sizedPools is a sync.Pool of *[]byte for each power of two.
type sizedPools [32]sync.Pool

func newSized() pool { return new(sizedPools) }

func (p *sizedPools) get(size int) slice {
	class := bits.Len(uint(max(size, 1) - 1))
	box, ok := p[class].Get().(*[]byte)
	if !ok {
		b := make([]byte, 1<<class)
		box = &b
	}
	return slice{(*box)[:size], box}
}

func (p *sizedPools) put(s slice) {
	if cap(s.b) > 0 {
		p[bits.Len(uint(cap(s.b)))-1].Put(boxed(s))
	}
}

// singlePool is one sync.Pool of *[]byte of any size.
type singlePool struct{ p sync.Pool }

func newSingle() pool { return new(singlePool) }

func (p *singlePool) get(size int) slice {
	box, ok := p.p.Get().(*[]byte)
	if !ok {
		box = new([]byte)
	}
	if cap(*box) < size {
		*box = make([]byte, size)
	}
	return slice{(*box)[:size], box}
}

func (p *singlePool) put(s slice) { p.p.Put(boxed(s)) }

// boxed returns the pointer to the slice that a sync.Pool keeps.
func boxed(s slice) *[]byte {
	box, ok := s.owner.(*[]byte)
	if !ok { // it comes from elsewhere
		box = new([]byte)
	}
	*box = s.b[:cap(s.b)]
	return box
}
