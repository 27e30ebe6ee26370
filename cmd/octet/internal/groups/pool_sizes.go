package groups

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// sizesRow measures pairs of several sizes, of which size returns the i-th.
func sizesRow(mode string, n int, size func(i int) int) contest.Row {
	const most = 8 << 10
	var sizes [256]int
	for i := range sizes {
		sizes[i] = size(i)
	}
	openClasses := func() []*sync.Pool {
		p := make([]*sync.Pool, bits.Len(most))
		for class := range p {
			p[class] = newSyncPool(1 << class)
		}
		return p
	}
	return contest.Row{Name: fmt.Sprintf("mode=%s/sizes=%d", mode, n), Contestants: in(mode,
		contestant("octet", newOctetPool, func(p *bytespool.Pool, n int) {
			for i := range n {
				b := p.New(sizes[i%len(sizes)])
				b[0] = 1
				p.Release(b)
			}
		}),
		contestant("sync.Pool", openClasses, func(p []*sync.Pool, n int) {
			for i := range n {
				size := sizes[i%len(sizes)]
				b := p[bits.Len(uint(size-1))].Get().(*[]byte)
				(*b)[:size][0] = 1
				p[bits.Len(uint(cap(*b)-1))].Put(b)
			}
		}),
	)}
}

// heldRow measures goroutines that take a few slices before they release them.
func heldRow(mode string) contest.Row {
	const held, size = 8, 1 << 10
	return contest.Row{Name: fmt.Sprintf("mode=%s/held=%d/size=%d", mode, held, size), Contestants: in(mode,
		contest.Contestant{Name: "octet", Start: func() func(int) { return burst[[]byte](octetPool{newOctetPool(), size}, held) }},
		contest.Contestant{Name: "sync.Pool", Start: func() func(int) { return burst[*[]byte](syncPool{newSyncPool(size)}, held) }},
	)}
}

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

// smallSize is that of the slices of heapRow.
const smallSize = 16

// heapRow measures small slices that outlive the function that makes them, so that
// make allocates them on the heap and the collector has work. In mode serial,
// the collector runs on a processor that would be idle otherwise, and most of
// its cost does not show in the time. In mode parallel all processors are busy,
// and it does.
func heapRow(mode string) contest.Row {
	const size = smallSize
	contestants := in(mode,
		contestant("octet", newOctetPool, func(p *bytespool.Pool, n int) {
			k := new(keeper)
			for range n {
				k.slice = p.New(size)
				k.slice[0] = 1
				p.Release(k.slice)
			}
		}),
		contestant("sync.Pool", func() *sync.Pool { return newSyncPool(size) }, func(p *sync.Pool, n int) {
			k := new(keeper)
			for range n {
				k.pointer = p.Get().(*[]byte)
				(*k.pointer)[0] = 1
				p.Put(k.pointer)
			}
		}),
		stateless("make", func(n int) {
			k := new(keeper)
			for range n {
				k.slice = make([]byte, size)
				k.slice[0] = 1
			}
		}))
	for i := range contestants {
		start := contestants[i].Start
		contestants[i].Start = func() func(int) {
			live, do := newLive(), start()
			return func(n int) {
				do(n)
				runtime.KeepAlive(live)
			}
		}
	}
	return contest.Row{
		Name:        fmt.Sprintf("mode=%s/make=heap/size=%d", mode, size),
		Least:       4 * liveBytes / size, // a collection each time the heap has grown by what is alive
		Contestants: contestants,
	}
}
