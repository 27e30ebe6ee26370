package groups

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
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

// burst takes burstSize slices and releases them, which is one operation.
func burst[T any](p pool[T]) func(n int) {
	fill(p, burstSize)
	held := make([]T, burstSize)
	return func(n int) {
		for range n {
			p.get(held)
			p.put(held)
		}
	}
}

const (
	yieldGoroutines = 1000 // for each processor
	yieldHeld       = 4
	yieldTurns      = 16 // of each goroutine in a sample, at the least
)

func yielders() int { return yieldGoroutines * runtime.GOMAXPROCS(0) }

// yield runs very many goroutines, each of which holds a few slices while all
// the others run. One operation is one turn of one goroutine.
func yield[T any](p pool[T]) func(n int) {
	fill(p, yielders()*yieldHeld)
	return contest.Parallel(yielders(), func(n int) {
		held := make([]T, yieldHeld)
		for range n {
			p.get(held)
			runtime.Gosched()
			p.put(held)
		}
	})
}

// handover takes slices in one goroutine and releases them in another. One
// operation is one slice. They go over in batches.
func handover[T any](p pool[T], e exchange[T]) func(n int) {
	fill(p, e.slices())
	return func(n int) {
		var wg sync.WaitGroup
		wg.Go(func() {
			for left := n; left > 0; {
				b := e.oldest()
				p.put(b)
				left -= len(b)
				e.drained(b)
			}
		})
		for left := n; left > 0; {
			b := e.empty()
			b = b[:min(len(b), left)]
			p.get(b)
			left -= len(b)
			e.filled(b)
		}
		wg.Wait()
	}
}

// An exchange passes full batches from one goroutine to another, and empty ones
// back.
type exchange[T any] interface {
	slices() int // in all batches
	empty() []T  // waits for an empty batch
	filled([]T)  // passes it on
	oldest() []T // waits for a full batch; the oldest comes first
	drained([]T) // passes it back
}

// batches is how many batches an exchange has.
const batches = 4

// batchLen returns how many slices of a size go over at once: enough for the
// cost of the exchange to hardly show, and no more than 64 MiB in all batches.
func batchLen(size int) int {
	return min(64, max(1, 64<<20/batches/size))
}

// channels is an exchange by two channels. The scheduler lets a goroutine that
// was waiting for a batch continue on the processor of the one that sent it, so
// the two often run in turn on one processor.
type channels[T any] struct {
	full, free chan []T
	size       int
}

func newChannels[T any](size int) exchange[T] {
	n := batchLen(size)
	c := channels[T]{make(chan []T, batches), make(chan []T, batches), batches * n}
	for range batches {
		c.free <- make([]T, n)
	}
	return c
}

func (c channels[T]) slices() int   { return c.size }
func (c channels[T]) empty() []T    { return <-c.free }
func (c channels[T]) filled(b []T)  { c.full <- b }
func (c channels[T]) oldest() []T   { return <-c.full }
func (c channels[T]) drained(b []T) { c.free <- b[:cap(b)] }

// A ring is an exchange without locks: the batches from tail to head-1 belong
// to the consumer, the others to the producer. A goroutine that has none yields
// and looks again. So none sleeps, and with two processors both run all the
// time.
type ring[T any] struct {
	batches [batches][]T
	_       [128]byte     // the counters change on different processors
	head    atomic.Uint64 // stored by the producer alone
	_       [128]byte
	tail    atomic.Uint64 // stored by the consumer alone
	_       [128]byte
}

func newRing[T any](size int) exchange[T] {
	r := new(ring[T])
	for i := range r.batches {
		r.batches[i] = make([]T, batchLen(size))
	}
	return r
}

func (r *ring[T]) slices() int { return batches * cap(r.batches[0]) }

func (r *ring[T]) empty() []T {
	head := r.head.Load()
	for head-r.tail.Load() == batches {
		runtime.Gosched()
	}
	b := r.batches[head%batches]
	return b[:cap(b)]
}

func (r *ring[T]) filled(b []T) {
	head := r.head.Load()
	r.batches[head%batches] = b
	r.head.Store(head + 1)
}

func (r *ring[T]) oldest() []T {
	tail := r.tail.Load()
	for tail == r.head.Load() {
		runtime.Gosched()
	}
	return r.batches[tail%batches]
}

func (r *ring[T]) drained([]T) { r.tail.Add(1) }
