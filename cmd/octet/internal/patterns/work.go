package patterns

import (
	"math"
	"math/rand/v2"
	"sync"
)

// take takes a slice and writes a byte of each page.
func take(p pool, size int) slice {
	s := p.get(size)
	write(s.b)
	return s
}

// write writes to b without reading it, as whoever takes a slice does: to read a page that
// nobody has written yet, and then to write it, faults twice.
func write(b []byte) {
	for i := 0; i < len(b); i += 4 << 10 { // pages
		b[i] = 1
	}
}

// workers is the number of goroutines that do the work of a pattern, whatever GOMAXPROCS is.
const workers = 4

// share has the workers do n operations together. Each has random numbers of its own, the
// same in every run.
func share(n int, do func(rng *rand.Rand, n int)) {
	together(workers, func(i int) {
		// In a size class of its own: small objects of several workers share a cache line.
		var state struct {
			_   [64]byte
			pcg rand.PCG
			_   [64]byte
		}
		state.pcg.Seed(uint64(i), 0)
		do(rand.New(&state.pcg), (n+i)/workers)
	})
}

// together calls do on n goroutines, and waits until all have returned.
func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

// sharing returns a start for patterns that open one pool and share the operations.
func sharing(do func(p pool, rng *rand.Rand, n int)) func(open func() pool) func(n int) {
	return func(open func() pool) func(int) {
		p := open()
		return func(n int) { share(n, func(rng *rand.Rand, n int) { do(p, rng, n) }) }
	}
}

// replace holds some slices, and replaces the one that was taken first by another, n times.
func replace(p pool, hold, n int, size func() int, also func()) {
	held := make([]slice, hold)
	for i := range n {
		at := &held[i%hold]
		if at.b != nil {
			p.put(*at)
		}
		*at = take(p, size())
		also()
	}
	putAll(p, held)
}

// takeAll takes slices of one size.
func takeAll(p pool, held []slice, size int) {
	for i := range held {
		held[i] = take(p, size)
	}
}

// putAll releases those of the slices that were taken.
func putAll(p pool, held []slice) {
	for i, s := range held {
		if s.b != nil {
			p.put(s)
		}
		held[i] = slice{}
	}
}

// between returns a size of at least low and less than high, and as likely of any doubling
// as of any other.
func between(rng *rand.Rand, low, high int) int {
	return int(float64(low) * math.Pow(float64(high)/float64(low), rng.Float64()))
}

// litter makes garbage. It returns a part, so that none is allocated on the stack.
//
//go:noinline
func litter(bytes int) (last []byte) {
	const each = 1 << 10
	for range bytes / each {
		last = make([]byte, each)
	}
	return last
}
