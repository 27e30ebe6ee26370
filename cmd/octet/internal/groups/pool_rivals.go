package groups

import (
	"sync"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/internal/engine"
)

// A pool is how a contestant uses its pool. T is what its users hold: a slice
// or a pointer to one. Each method is a loop of its own around direct calls;
// one call of the loop replaces a call for every slice.
type pool[T any] interface {
	pairs(n int) // takes and releases a slice, n times
	get(dst []T) // fills dst
	put(src []T) // releases what src holds
}

const burstSize = 256

// fill makes p hold n slices, as many as its mode uses at a time: how a pool
// grows is not measured.
func fill[T any](p pool[T], n int) {
	all := make([]T, n)
	p.get(all)
	p.put(all)
}

// burst takes size slices and releases them, which is one operation.
func burst[T any](p pool[T], size int) func(n int) {
	fill(p, size)
	return func(n int) {
		held := make([]T, size)
		for range n {
			p.get(held)
			p.put(held)
		}
	}
}

// A handover has this many batches of slices on their way.
const batches = 4

// batchLen returns how many slices of a size go over at once: enough for the
// cost of the channels to hardly show, and no more than 64 MiB in all batches.
func batchLen(size int) int {
	return min(64, max(1, 64<<20/batches/size))
}

// handover takes slices in one goroutine and releases them in another. One
// operation is one slice. They go over in batches, by a channel, and the empty
// batches come back by another.
func handover[T any](p pool[T], size int) func(n int) {
	full, free := make(chan []T, batches), make(chan []T, batches)
	for range batches {
		free <- make([]T, batchLen(size))
	}
	fill(p, batches*batchLen(size))
	return func(n int) {
		var wg sync.WaitGroup
		wg.Go(func() {
			for left := n; left > 0; {
				b := <-full
				p.put(b)
				left -= len(b)
				free <- b[:cap(b)]
			}
		})
		for left := n; left > 0; {
			b := <-free
			b = b[:min(len(b), left)]
			p.get(b)
			left -= len(b)
			full <- b
		}
		wg.Wait()
	}
}

// pools returns the contestants that can be used in all modes: octet and the closest rivals.
func pools(mode string, size int) []contest.Contestant {
	return []contest.Contestant{
		using("octet", mode, size, func() pool[[]byte] { return octetPool{newOctetPool(), size} }),
		using("sync.Pool", mode, size, func() pool[*[]byte] { return syncPool{newSyncPool(size)} }),
		using("mcache", mode, size, func() pool[[]byte] { return mcachePool(size) }),
	}
}

// using returns a contestant that uses a pool in the mode.
func using[T any](name, mode string, size int, open func() pool[T]) contest.Contestant {
	return contest.Contestant{Name: name, Start: func() func(int) {
		p := open()
		switch mode {
		case "burst":
			return burst(p, burstSize)
		case "handover":
			return handover(p, size)
		}
		return p.pairs
	}}
}

// octetPool is octet, for slices of one size.
type octetPool struct {
	*bytespool.Pool
	size int
}

func newOctetPool() *bytespool.Pool { return bytespool.NewPool() }

func (p octetPool) pairs(n int) {
	for range n {
		b := p.New(p.size)
		b[0] = 1
		p.Release(b)
	}
}

func (p octetPool) get(dst [][]byte) {
	for i := range dst {
		b := p.New(p.size)
		b[0] = 1
		dst[i] = b
	}
}

func (p octetPool) put(src [][]byte) {
	for _, b := range src {
		p.Release(b)
	}
}

// newPortablePool returns a pool with the portable engine, for which bytespool has no switch.
func newPortablePool() *bytespool.Pool {
	p := new(bytespool.Pool)
	engine.Of(p).Init(engine.Config{MinSize: 2, MaxSize: 4 << 20, Portable: true})
	return p
}

// syncPool is the standard library's pool, of slices of one size. It holds
// pointers, because a slice in an interface would be allocated.
type syncPool struct{ *sync.Pool }

func newSyncPool(size int) *sync.Pool {
	return &sync.Pool{New: func() any {
		b := make([]byte, size)
		return &b
	}}
}

func (p syncPool) pairs(n int) {
	for range n {
		b := p.Get().(*[]byte)
		(*b)[0] = 1
		p.Put(b)
	}
}

func (p syncPool) get(dst []*[]byte) {
	for i := range dst {
		b := p.Get().(*[]byte)
		(*b)[0] = 1
		dst[i] = b
	}
}

func (p syncPool) put(src []*[]byte) {
	for _, b := range src {
		p.Put(b)
	}
}

// mcachePool is mcache's only pool, which all rows share, for slices of one size.
type mcachePool int

func (size mcachePool) pairs(n int) {
	for range n {
		b := mcache.Malloc(int(size))
		b[0] = 1
		mcache.Free(b)
	}
}

func (size mcachePool) get(dst [][]byte) {
	for i := range dst {
		b := mcache.Malloc(int(size))
		b[0] = 1
		dst[i] = b
	}
}

func (size mcachePool) put(src [][]byte) {
	for _, b := range src {
		mcache.Free(b)
	}
}

// byteBuffers makes the slice itself if the buffer is too small: the pool
// hands out empty buffers of any capacity.
func byteBuffers(size int) contest.Contestant {
	return contestant("bytebufferpool", newFasthttpPool, func(p *bytebufferpool.Pool, n int) {
		for range n {
			b := p.Get()
			if cap(b.B) < size {
				b.B = make([]byte, size)
			}
			b.B = b.B[:size]
			b.B[0] = 1
			p.Put(b)
		}
	})
}

// makes has make allocate each slice: on the stack, if it is small.
func makes(size int) contest.Contestant {
	return stateless("make", func(n int) {
		for range n {
			b := make([]byte, size)
			b[0] = 1
		}
	})
}
