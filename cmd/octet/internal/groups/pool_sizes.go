package groups

import (
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

func newOctetPool(opts ...bytespool.Option) *bytespool.Pool {
	return bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(octetMin, octetMax)}, opts...)...)
}

// inTurnRow measures a pair of one size and a pair of another, which are one operation.
func inTurnRow(mode string) contest.Row {
	const small, large = 64, 1 << 10
	octet := func(large int) pairs {
		p, small := newOctetPool(), small
		return func(n int) {
			for range n {
				b := p.New(small)
				b[0] = 1
				p.Release(b)
				b = p.New(large)
				b[0] = 1
				p.Release(b)
			}
		}
	}
	std := func(large int) pairs {
		p, q := newSyncPool(small), newSyncPool(large)
		return func(n int) {
			for range n {
				b := p.Get().(*[]byte)
				(*b)[0] = 1
				p.Put(b)
				b = q.Get().(*[]byte)
				(*b)[0] = 1
				q.Put(b)
			}
		}
	}
	return contest.Row{
		Name:        "mode=" + mode + "/sizes=2",
		Contestants: in(mode, large, pairRival("octet", true, octet), pairRival("sync.Pool", false, std)),
	}
}

// atRandomRow measures pairs of eight sizes in a random order.
func atRandomRow(mode string) contest.Row {
	const most = 8 << 10
	var sizes [256]int
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range sizes {
		sizes[i] = most >> rng.IntN(8)
	}
	octet := func(int) pairs {
		p := newOctetPool()
		return func(n int) {
			for i := range n {
				b := p.New(sizes[i%len(sizes)])
				b[0] = 1
				p.Release(b)
			}
		}
	}
	std := func(most int) pairs {
		p := make([]*sync.Pool, bits.Len(uint(most))) // by class
		for class := range p {
			p[class] = newSyncPool(1 << class)
		}
		return func(n int) {
			for i := range n {
				size := sizes[i%len(sizes)]
				b := p[bits.Len(uint(size-1))].Get().(*[]byte)
				(*b)[:size][0] = 1
				p[bits.Len(uint(cap(*b)-1))].Put(b)
			}
		}
	}
	return contest.Row{
		Name:        "mode=" + mode + "/sizes=8",
		Contestants: in(mode, most, pairRival("octet", true, octet), pairRival("sync.Pool", false, std)),
	}
}

// heldRow measures goroutines that take a few slices before they release them.
func heldRow(mode string) contest.Row {
	const held, size = 8, 1 << 10
	return contest.Row{
		Name: "mode=" + mode + "/held=8/size=1024",
		Contestants: in(mode, size,
			pairRival("octet", true, func(size int) pairs { return burst(octetPool(newOctetPool(), size), held) }),
			pairRival("sync.Pool", false, func(size int) pairs { return burst(syncPool(newSyncPool(size)), held) })),
	}
}

// stepsRow measures the pair of a pool with four classes a doubling.
func stepsRow(mode string) contest.Row {
	const size = 1 << 10
	steps := func(opts ...bytespool.Option) func(size int) pairs {
		return func(size int) pairs { return octetPool(newOctetPool(opts...), size).pairs }
	}
	return contest.Row{
		Name:        "steps=4/" + rowName(mode, size),
		Aside:       "Octet with four classes a doubling competes with octet with one.",
		Contestants: in(mode, size, pairRival("steps=4", true, steps(bytespool.WithSteps(4))), pairRival("steps=1", false, steps())),
	}
}
