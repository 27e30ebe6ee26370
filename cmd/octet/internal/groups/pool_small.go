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
		Least: 4 * liveBytes / size, // a collection each time the heap has grown by what is alive
		Contestants: []contest.Contestant{
			contestant("octet", true, func() pairs {
				p := bytespool.NewPool(bytespool.WithSizes(octetMin, octetMax))
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
