package patterns

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Slices that go from one goroutine to another.

// A flow is one goroutine that takes slices, a channel, and others that release what they
// receive from it.
type flow struct {
	size, depth, releasers int
	each                   int // slices in an operation; 1 if 0
}

func (f flow) run(p pool, n int) {
	ch := make(chan slice, f.depth)
	together(1+f.releasers, func(i int) {
		if i > 0 {
			for s := range ch {
				p.put(s)
			}
			return
		}
		for range n * max(f.each, 1) {
			ch <- take(p, f.size)
		}
		close(ch)
	})
}

// flows runs them at once, with one pool.
func flows(all ...flow) func(open func() pool) func(n int) {
	return func(open func() pool) func(int) {
		p := open()
		return func(n int) { together(len(all), func(i int) { all[i].run(p, n) }) }
	}
}

// eightFlows returns flows that move 4 MiB in each operation.
func eightFlows() (all []flow) {
	const most = 4 << 20
	for size := 32 << 10; size <= most; size *= 2 {
		all = append(all, flow{size: size, depth: 4, releasers: 1, each: most / size})
	}
	return all
}

// broadcast counts the readers that have not read a message yet.
func broadcast(open func() pool) func(n int) {
	const readers = 8
	type message struct {
		slice
		left atomic.Int32
	}
	p := open()
	return func(n int) {
		var to [readers]chan *message
		for i := range to {
			to[i] = make(chan *message, 16)
		}
		together(1+readers, func(i int) {
			if i < readers {
				for m := range to[i] {
					if m.left.Add(-1) == 0 {
						p.put(m.slice)
					}
				}
				return
			}
			for range n {
				m := &message{slice: take(p, 16<<10)}
				m.left.Store(readers)
				for _, ch := range to {
					ch <- m
				}
			}
			for _, ch := range to {
				close(ch)
			}
		})
	}
}

// sleepers have each a share of the operations, and hold what they take for a while.
func sleepers(take func(p pool, i int) slice) func(open func() pool) func(n int) {
	const goroutines = 500
	return func(open func() pool) func(int) {
		p := open()
		return func(n int) {
			together(goroutines, func(g int) {
				for i := range (n + g) / goroutines {
					s := take(p, g+i)
					time.Sleep(time.Millisecond)
					p.put(s)
				}
			})
		}
	}
}

// Memory that is kept, and what it costs.

// phases changes the size every 30 operations. It goes through all nine sizes.
func phases(open func() pool) func(n int) {
	const inUse, each, sizes = 32 << 20, 30, 9
	p := open()
	return func(n int) {
		for i := range n {
			size := 4 << 10 << (i / each % sizes)
			share(inUse/size, func(_ *rand.Rand, n int) {
				held := make([]slice, n)
				takeAll(p, held, size)
				putAll(p, held)
			})
			litter(1 << 20)
		}
	}
}

func turns(open func() pool) func(n int) {
	pools := make([]pool, 200)
	for i := range pools {
		pools[i] = open()
	}
	return func(n int) {
		held := make([]slice, 20)
		for i := range n {
			p := pools[i%len(pools)]
			takeAll(p, held, 16<<10)
			putAll(p, held)
			litter(64 << 10)
		}
	}
}

func connections(open func() pool) func(n int) {
	return func(n int) {
		share(n, func(_ *rand.Rand, n int) {
			for range n {
				p := open()
				for range 8 {
					request, answer := take(p, 4<<10), take(p, 16<<10)
					p.put(request)
					p.put(answer)
				}
			}
		})
	}
}

var oneWay = sharing(func(p pool, _ *rand.Rand, n int) {
	for range n {
		b := make([]byte, 256<<10)
		write(b)
		p.put(slice{b: b})
	}
})

// A node is memory that is costly to mark: each word is a pointer.
type node [8]*node

// newTree returns a tree of n nodes, at least one.
func newTree(n int) *node {
	root := new(node)
	rest := n - 1
	for i := range root {
		part := (rest + len(root) - i - 1) / (len(root) - i)
		if part == 0 {
			break
		}
		root[i] = newTree(part)
		rest -= part
	}
	return root
}

func live(open func() pool) func(n int) {
	p, tree := open(), newTree(61<<20/int(unsafe.Sizeof(node{})))
	return func(n int) {
		share(n, func(rng *rand.Rand, n int) {
			replace(p, 9, n, func() int { return 4 << 10 << rng.IntN(7) }, func() { litter(4 << 10) })
		})
		runtime.KeepAlive(tree)
	}
}

var garbage = sharing(func(p pool, _ *rand.Rand, n int) {
	held := make([]slice, 128)
	for range n {
		takeAll(p, held, 64<<10)
		putAll(p, held)
		litter(8 << 20)
	}
})

// bursts has collections between bursts, so that nothing is found but what outlives them.
func bursts(open func() pool) func(n int) {
	p := open()
	return func(n int) {
		for range n {
			share(workers, func(rng *rand.Rand, _ int) {
				held := make([]slice, 64)
				for i := range held {
					held[i] = take(p, between(rng, 4<<10, 256<<10))
				}
				putAll(p, held)
			})
			for range 3 {
				runtime.GC()
			}
		}
	}
}

// serve has goroutines that wait for requests, and bursts of those.
func serve(open func() pool) func(n int) {
	const goroutines, burst = 64, 256
	p := open()
	return func(n int) {
		var done sync.WaitGroup
		requests := make(chan int, burst)
		for range goroutines {
			go func() {
				for size := range requests {
					request := take(p, 4<<10)
					answer := take(p, size)
					litter(2 << 10)
					p.put(answer)
					p.put(request)
					done.Done()
				}
			}()
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range n {
			done.Add(burst)
			for range burst {
				requests <- between(rng, 1<<10, 64<<10)
			}
			done.Wait()
			time.Sleep(time.Millisecond)
		}
		close(requests)
	}
}

// Sizes that vary, and slices that grow.

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
