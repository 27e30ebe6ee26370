package groups

import "sync"

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
