package patterns

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A flow is one goroutine that takes slices, a channel, and others that release what they
// receive from it.
type flow struct {
	size, depth, releasers int
	each                   int // slices in an operation; 1 if 0
}

func (f flow) run(p pool, n int) {
	ch := make(chan slice, f.depth)
	var wg sync.WaitGroup
	for range f.releasers {
		wg.Go(func() {
			for s := range ch {
				p.put(s)
			}
		})
	}
	for range n * max(f.each, 1) {
		ch <- take(p, f.size)
	}
	close(ch)
	wg.Wait()
}

// flows runs them at once, with one pool.
func flows(all ...flow) func(open func() pool) func(n int) {
	return func(open func() pool) func(int) {
		p := open()
		return func(n int) {
			var wg sync.WaitGroup
			for _, f := range all {
				wg.Go(func() { f.run(p, n) })
			}
			wg.Wait()
		}
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

func repeat(n int, f flow) []flow { return slices.Repeat([]flow{f}, n) }

// broadcast counts the readers that have not read a message yet.
func broadcast(open func() pool) func(n int) {
	const readers = 8
	type message struct {
		slice
		left atomic.Int32
	}
	p := open()
	return func(n int) {
		var wg sync.WaitGroup
		var to [readers]chan *message
		for i := range to {
			to[i] = make(chan *message, 16)
			wg.Go(func() {
				for m := range to[i] {
					if m.left.Add(-1) == 0 {
						p.put(m.slice)
					}
				}
			})
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
		wg.Wait()
	}
}

func spawn(open func() pool) func(n int) {
	p := open()
	return func(n int) {
		running := make(chan bool, 64)
		var wg sync.WaitGroup
		for range n {
			running <- true
			wg.Go(func() {
				s := take(p, 8<<10)
				wg.Go(func() {
					p.put(s)
					<-running
				})
			})
		}
		wg.Wait()
	}
}

// sleepers have each a share of the operations.
func sleepers(open func() pool) func(n int) {
	const goroutines = 500
	p := open()
	return func(n int) {
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range (n + g) / goroutines {
					s := take(p, 4<<10<<((g+i)%4))
					time.Sleep(time.Millisecond)
					p.put(s)
				}
			})
		}
		wg.Wait()
	}
}
