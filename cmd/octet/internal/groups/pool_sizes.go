package groups

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
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

// Whether make is as cheap as a pool for small slices depends on where make
// puts them, which the compiler decides by whether a slice outlives its
// function.

// smallSizes are sizes for which make uses the stack if the slice does not
// outlive its function, even if the size is not a constant.
var smallSizes = []int{16, 32}

// A keeper holds a slice that outlives its function, until the next one
// replaces it.
type keeper struct {
	slice   []byte
	pointer *[]byte
}

const liveBytes = 4 << 20

// newLive returns memory for the collector to mark. With more of it, collections are
// rarer but each costs more; with none at all they would cost next to nothing,
// as they do in no real program.
func newLive() [][]*byte {
	l := make([][]*byte, liveBytes/512)
	target := new(byte)
	for i := range l {
		l[i] = make([]*byte, 512/8)
		for j := range l[i] {
			l[i][j] = target
		}
	}
	return l
}

// heapRow measures slices that outlive the function that makes them, so that
// make allocates them on the heap and the collector has work. In mode serial,
// the collector runs on a processor that would be idle otherwise, and most of
// its cost does not show in the time. In mode parallel all processors are busy,
// and it does.
func heapRow(mode string, size int) contest.Row {
	octet := func(size int) pairs {
		p := newOctetPool()
		return func(n int) {
			k := new(keeper)
			for range n {
				k.slice = p.New(size)
				k.slice[0] = 1
				p.Release(k.slice)
			}
		}
	}
	std := func(size int) pairs {
		p := newSyncPool(size)
		return func(n int) {
			k := new(keeper)
			for range n {
				k.pointer = p.Get().(*[]byte)
				(*k.pointer)[0] = 1
				p.Put(k.pointer)
			}
		}
	}
	heap := func(size int) pairs {
		return func(n int) {
			k := new(keeper)
			for range n {
				k.slice = make([]byte, size)
				k.slice[0] = 1
			}
		}
	}
	row := contest.Row{
		Name:        smallName(mode, "heap", size),
		Least:       4 * liveBytes / size, // a collection each time the heap has grown by what is alive
		Contestants: in(mode, size, pairRival("octet", true, octet), pairRival("sync.Pool", false, std), pairRival("make", false, heap)),
	}
	for i := range row.Contestants {
		begin := row.Contestants[i].Start
		row.Contestants[i].Start = func() contest.Run {
			l, run := newLive(), begin()
			run.Stop = func() { runtime.KeepAlive(l) }
			return run
		}
	}
	return row
}

// stackRow measures slices that do not outlive the function that makes them, so
// that make puts them on the stack.
func stackRow(size int) contest.Row {
	return contest.Row{
		Name:        smallName("serial", "stack", size),
		Aside:       "Slices that do not outlive the function that makes them: make puts them on the stack at no cost, so there is no reason to pool them.",
		Contestants: in("serial", size, rivals[0], rivals[1], pairRival("make", false, makePairs)),
	}
}

func smallName(mode, place string, size int) string {
	return fmt.Sprintf("mode=%s/make=%s/size=%d", mode, place, size)
}
