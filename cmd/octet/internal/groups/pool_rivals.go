package groups

import (
	"runtime"
	"sync"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/valyala/bytebufferpool"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/internal/engine"
)

// pairs takes and releases a slice, n times.
type pairs = func(n int)

// A pool is how a contestant uses its pool. T is what its users hold: a slice
// or a pointer to one. Each function is a loop of its own around direct calls;
// one call of the loop replaces a call for every slice.
type pool[T any] struct {
	pairs pairs
	get   func(dst []T) // fills dst
	put   func(src []T) // releases what src holds
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

// A rival is a pool in the rows of group pool.
type rival struct {
	name string
	ours bool
	does map[string]func(size int) func(n int) // the ways to use it, by mode
}

// The rivals, the closest first. The others only hand out one slice at a time.
var rivals = []rival{
	poolRival("octet", true, func(size int) pool[[]byte] { return octetPool(newOctetPool(), size) }),
	poolRival("sync.Pool", false, func(size int) pool[*[]byte] { return syncPool(newSyncPool(size)) }),
	poolRival("mcache", false, mcachePool),
	pairRival("bytebufferpool", false, byteBufferPairs),
	pairRival("make", false, makePairs),
}

// poolRival returns a rival that can be used in all ways.
func poolRival[T any](name string, ours bool, open func(size int) pool[T]) rival {
	r := pairRival(name, ours, func(size int) pairs { return open(size).pairs })
	r.does["burst"] = func(size int) func(int) { return burst(open(size), burstSize) }
	r.does["handover"] = func(size int) func(int) { return handover(open(size), size) }
	return r
}

func pairRival(name string, ours bool, open func(size int) pairs) rival {
	return rival{name, ours, map[string]func(size int) func(int){
		"serial":   open,
		"parallel": func(size int) func(int) { return contest.Parallel(runtime.GOMAXPROCS(0), open(size)) },
	}}
}

// in returns those of the rivals that can be used in the mode, as contestants.
func in(mode string, size int, rivals ...rival) (list []contest.Contestant) {
	for _, r := range rivals {
		if do := r.does[mode]; do != nil {
			list = append(list, start(r.name, r.ours, func() func(int) { return do(size) }))
		}
	}
	return list
}

// Octet's pools have the classes of bytespool's default pool.
const (
	octetMin = 2
	octetMax = 4 << 20
)

// octetPool is not inlined: the compiler does not inline New and Release into closures of a
// function that it has inlined, as it does where a program calls them.
//
//go:noinline
func octetPool(p *bytespool.Pool, size int) pool[[]byte] {
	return pool[[]byte]{
		pairs: func(n int) {
			for range n {
				b := p.New(size)
				b[0] = 1
				p.Release(b)
			}
		},
		get: func(dst [][]byte) {
			for i := range dst {
				b := p.New(size)
				b[0] = 1
				dst[i] = b
			}
		},
		put: func(src [][]byte) {
			for _, b := range src {
				p.Release(b)
			}
		},
	}
}

// portablePairs uses the engine below bytespool, because bytespool itself has
// no switch for the portable one.
func portablePairs(size int) pairs {
	p := new(engine.Pool)
	p.Init(engine.Config{MinSize: octetMin, MaxSize: octetMax, Portable: true})
	return func(n int) {
		for range n {
			b := p.New(size)
			b[0] = 1
			p.Release(b)
		}
	}
}

// newSyncPool returns the standard library's pool, of slices of one size. It holds
// pointers, because a slice in an interface would be allocated.
func newSyncPool(size int) *sync.Pool {
	return &sync.Pool{New: func() any {
		b := make([]byte, size)
		return &b
	}}
}

func syncPool(p *sync.Pool) pool[*[]byte] {
	return pool[*[]byte]{
		pairs: func(n int) {
			for range n {
				b := p.Get().(*[]byte)
				(*b)[0] = 1
				p.Put(b)
			}
		},
		get: func(dst []*[]byte) {
			for i := range dst {
				b := p.Get().(*[]byte)
				(*b)[0] = 1
				dst[i] = b
			}
		},
		put: func(src []*[]byte) {
			for _, b := range src {
				p.Put(b)
			}
		},
	}
}

// mcachePool uses mcache's only pool, which all rows share.
func mcachePool(size int) pool[[]byte] {
	return pool[[]byte]{
		pairs: func(n int) {
			for range n {
				b := mcache.Malloc(size)
				b[0] = 1
				mcache.Free(b)
			}
		},
		get: func(dst [][]byte) {
			for i := range dst {
				b := mcache.Malloc(size)
				b[0] = 1
				dst[i] = b
			}
		},
		put: func(src [][]byte) {
			for _, b := range src {
				mcache.Free(b)
			}
		},
	}
}

// byteBufferPairs makes the slice itself if the buffer is too small: the pool
// hands out empty buffers of any capacity.
func byteBufferPairs(size int) pairs {
	p := new(bytebufferpool.Pool)
	return func(n int) {
		for range n {
			b := p.Get()
			if cap(b.B) < size {
				b.B = make([]byte, size)
			}
			b.B = b.B[:size]
			b.B[0] = 1
			p.Put(b)
		}
	}
}

func makePairs(size int) pairs {
	return func(n int) {
		for range n {
			b := make([]byte, size)
			b[0] = 1
		}
	}
}
