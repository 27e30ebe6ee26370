package patterns

import (
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
