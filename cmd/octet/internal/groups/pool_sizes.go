package groups

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Whether make is as cheap as a pool for small slices depends on where make
// puts them, which the compiler decides by whether a slice outlives its
// function.

// smallSize is a size for which make uses the stack if the slice does not outlive its
// function, even if the size is not a constant.
const smallSize = 16

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

// stackRow measures slices that do not outlive the function that makes them, so
// that make puts them on the stack.
func stackRow(size int) contest.Row {
	return contest.Row{
		Name:        fmt.Sprintf("mode=serial/make=stack/size=%d", size),
		Aside:       "Slices that do not outlive the function that makes them: make puts them on the stack at no cost, so there is no reason to pool them.",
		Contestants: append(pools("serial", size)[:2], makes(size)),
	}
}
