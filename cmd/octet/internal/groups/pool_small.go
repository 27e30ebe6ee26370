package groups

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// How small must a slice be for make to be as cheap as a pool? That depends on
// where make puts it. The compiler decides this by where the slice goes.

// smallSizes are those at which make puts a slice that stays in its function on
// the stack, even if the size is not a constant.
var smallSizes = []int{16, 32}

// A keeper is where a slice goes that outlives its function, until the next one
// takes its place.
type keeper struct {
	slice   []byte
	pointer *[]byte
}

// A live heap is what the collector has to mark. A collection costs more where
// more is alive, and happens more rarely; where nothing is, it costs next to
// nothing.
type live [][]*byte

const liveBytes = 4 << 20

func newLive() live {
	l := make(live, liveBytes/512)
	target := new(byte)
	for i := range l {
		l[i] = make([]*byte, 512/8)
		for j := range l[i] {
			l[i][j] = target
		}
	}
	return l
}

// heapRow has every slice outlive the function that makes it, so that make puts
// it on the heap. What the collector takes then is part of the price. In mode
// serial it takes it from a processor that has nothing else to do, so that most
// of it does not show in the time; in mode parallel all processors are busy, and
// it does.
func heapRow(mode string, size int) contest.Row {
	goroutines := 1
	if mode == "parallel" {
		goroutines = runtime.GOMAXPROCS(0)
	}
	contestant := func(name string, ours bool, do func() pairs) contest.Contestant {
		return contest.Contestant{Name: name, Ours: ours, Start: func() contest.Run {
			l := newLive()
			return contest.Run{
				Do:   contest.Parallel(goroutines, do()),
				Stop: func() { runtime.KeepAlive(l) },
			}
		}}
	}
	return contest.Row{
		Name:  smallName(mode, "heap", size),
		Least: 4 * liveBytes / size, // the heap grows by what is alive: four collections
		Contestants: []contest.Contestant{
			contestant("octet", true, func() pairs {
				p := bytespool.NewCapacityPools(octetMin, octetMax)
				return func(n int) {
					k := new(keeper)
					for range n {
						k.slice = p.New(size)
						k.slice[0] = 1
						p.Release(k.slice)
					}
				}
			}),
			contestant("sync.Pool", false, func() pairs {
				p := &sync.Pool{New: func() any {
					b := make([]byte, size)
					return &b
				}}
				return func(n int) {
					k := new(keeper)
					for range n {
						k.pointer = p.Get().(*[]byte)
						(*k.pointer)[0] = 1
						p.Put(k.pointer)
					}
				}
			}),
			contestant("make", false, func() pairs {
				return func(n int) {
					k := new(keeper)
					for range n {
						k.slice = make([]byte, size)
						k.slice[0] = 1
					}
				}
			}),
		},
	}
}

// stackRow has no slice outlive its function, so that make puts it on the stack.
func stackRow(size int) contest.Row {
	return contest.Row{
		Name:  smallName("serial", "stack", size),
		Aside: "The slice does not outlive its function, so make puts it on the stack, which costs nothing: there is no reason to pool it.",
		Contestants: []contest.Contestant{
			start("octet", true, func() func(int) { return octetPool(size).pairs }),
			start("sync.Pool", false, func() func(int) { return syncPool(size).pairs }),
			start("make", false, func() func(int) { return makePairs(size) }),
		},
	}
}

func smallName(mode, place string, size int) string {
	return fmt.Sprintf("mode=%s/make=%s/size=%d", mode, place, size)
}
