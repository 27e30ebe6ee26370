package cost

import (
	"math"
	"runtime/debug"
	"time"

	"github.com/octet-go/octet/bytespool"
)

// A Machine is what this machine takes for the things that profiles do not show. The zero Machine takes
// nothing for them.
type Machine struct {
	pair float64    // nanoseconds for a slice that is taken from a pool and released
	cold [2]float64 // nanoseconds a byte by which it takes longer to fill new memory than that of a pool, by heap
	part [2]float64 // of the time of filling new memory
}

// heaps are the bytes that a program allocates between two collections: with the smallest heap that Go has,
// and with a large one.
var heaps = [2]int{smallHeap, LargeHeap}

const (
	smallHeap = 4 << 20
	// LargeHeap is the bytes between two collections that are called a large heap.
	LargeHeap = 64 << 20
)

// Calibrate measures this machine, in about a second. It is to be called while the heap of this program is small.
func Calibrate() *Machine { return calibrate(3 * LargeHeap) }

// calibrate allocates so many bytes for each number.
func calibrate(total int) *Machine {
	m := &Machine{pair: pair()}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for i, heap := range heaps {
		debug.SetGCPercent(100 * heap / smallHeap)
		fill(allocate, 64<<10, 2*heap) // so that the heap has its size
		m.cold[i], m.part[i] = cold(total)
	}
	debug.FreeOSMemory()
	return m
}

// pair returns the nanoseconds of the fastest of three runs. They hardly depend on the size.
func pair() float64 {
	const n = 10_000
	best := math.Inf(1)
	for range 3 {
		began := time.Now()
		for range n {
			bytespool.Release(bytespool.New(4 << 10))
		}
		best = min(best, float64(time.Since(began)))
	}
	return best / n
}

// cold returns by how many nanoseconds a byte new memory takes longer to fill, and which part of its time that is. It is
// the mean of several sizes, for each of which so many bytes are allocated: what makes new memory slow is above all the
// pages that the collector has given back to the system, and it depends on the moment how many have to come again. The
// fastest of several runs would be one without them.
func cold(total int) (nanos, part float64) {
	sizes := []int{512, 4 << 10, 16 << 10, 64 << 10}
	var fresh, kept float64
	for _, size := range sizes {
		fresh += fill(allocate, size, total)
		kept += fill(keep, size, total/8)
	}
	more := max(0, fresh-kept)
	return more / float64(len(sizes)), more / max(fresh, 1e-9)
}

// fill takes slices and fills them until there are so many bytes, and returns the nanoseconds that filling a
// byte takes. It takes several small ones at a time, so that reading the clock takes little.
func fill(take func(*[]byte), size, total int) float64 {
	bufs := make([][]byte, max(1, 32<<10/size))
	for i := range bufs {
		bufs[i] = make([]byte, size)
	}
	from := make([]byte, size)
	var filling time.Duration
	filled := 0
	for left := total; left > 0; left -= size * len(bufs) {
		for i := range bufs {
			take(&bufs[i])
		}
		began := time.Now()
		for _, b := range bufs {
			copy(b, from)
		}
		if d := time.Since(began); d < time.Millisecond { // otherwise another program ran
			filling += d
			filled += size * len(bufs)
		}
	}
	return float64(filling) / float64(max(filled, 1))
}

func allocate(b *[]byte) { *b = make([]byte, len(*b)) }

func keep(*[]byte) {}
