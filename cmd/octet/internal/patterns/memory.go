package patterns

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

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
