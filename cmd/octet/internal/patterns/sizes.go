package patterns

import (
	"math/rand/v2"
	"sync"
)

var logUniform = sharing(func(p pool, rng *rand.Rand, n int) {
	replace(p, 16, n, func() int { return between(rng, 64, 1<<20) }, func() {})
})

var cache = sharing(func(p pool, rng *rand.Rand, n int) {
	held := make([]slice, 256)
	for range n {
		at := &held[rng.IntN(len(held))]
		if at.b != nil {
			p.put(*at)
		}
		*at = take(p, between(rng, 1<<10, 64<<10))
		for range 4 {
			p.put(take(p, 4<<10))
		}
	}
	putAll(p, held)
})

// text is what is appended to slices.
var text [60 << 10]byte

// growing takes a slice, appends parts until it has size bytes, and returns it.
func growing(p pool, first, part, size int) slice {
	if own, ok := p.(grower); ok {
		return own.growing(first, part, size)
	}
	s := p.get(first)
	s.b = s.b[:0]
	for len(s.b) < size {
		s.b = append(s.b, text[:min(part, size-len(s.b))]...)
	}
	return s
}

// requests are sleepers whose slices grow to 4 KiB and up to so many.
func requests(most int) func(open func() pool) func(n int) {
	return sleepers(func(p pool, i int) slice { return growing(p, 4<<10, 1<<10, (4+i%(most-3))<<10) })
}

// seldomLarge is growing, now and then.
func seldomLarge(p pool, i int) slice {
	if i%50 == 0 {
		return growing(p, 4<<10, 1<<10, 32<<10)
	}
	return growing(p, 4<<10, 1<<10, 2<<10)
}

var held = sharing(func(p pool, _ *rand.Rand, n int) {
	var kept []slice
	for i := range n {
		p.put(growing(p, 1<<10, len(text), len(text)))
		if i%4 == 0 {
			kept = append(kept, take(p, 512))
		}
	}
	putAll(p, kept)
})

// grow takes a slice, appends parts until it has size bytes, and releases it.
func grow(first, part, size int) func(open func() pool) func(n int) {
	return sharing(func(p pool, _ *rand.Rand, n int) {
		for range n {
			p.put(growing(p, first, part, size))
		}
	})
}

// batch has a goroutine for each worker, to which it hands its batches.
var batch = sharing(func(p pool, rng *rand.Rand, n int) {
	full := make(chan slice, 4)
	var flusher sync.WaitGroup
	flusher.Go(func() {
		for s := range full {
			p.put(s)
		}
	})
	for range n {
		full <- growing(p, 4<<10, between(rng, 200, 2<<10), between(rng, 8<<10, 256<<10))
	}
	close(full)
	flusher.Wait()
})

// logLines copies each line to where a file would be.
var logLines = sharing(func(p pool, rng *rand.Rand, n int) {
	file := make([]byte, 32<<10)
	for i := range n {
		s := p.get(256)
		s.b = s.b[:0]
		for range 5 + rng.IntN(16) {
			s.b = append(s.b, text[:10+rng.IntN(90)]...)
		}
		if i%200 == 0 {
			s.b = append(s.b, text[:16<<10]...)
		}
		copy(file, s.b)
		p.put(s)
	}
})
