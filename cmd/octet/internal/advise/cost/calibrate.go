package cost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"time"

	"github.com/octet-go/octet/bytespool"
)

// sizes are those for which this machine is measured; between them the nearest counts.
var sizes = []int{64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10}

// A Machine is what this machine takes for the things that profiles do not show. The zero Machine takes
// nothing for them.
type Machine struct {
	pair []float64    // nanoseconds for a slice that is taken from a pool and released, by size
	cold [2][]float64 // nanoseconds a byte by which memory that is in no cache is slower to write to, by size, with a small and a large heap
}

// heaps are the bytes that a program allocates between two collections, and hence touches before it
// comes back to the same memory: with a small heap, about twice as much as is in use, and with a large one.
var heaps = [2]int{8 << 20, LargeHeap}

// LargeHeap is the bytes between two collections that are called a large heap.
const LargeHeap = 64 << 20

// Calibrate measures this machine, in less than a second.
func Calibrate() *Machine {
	m := new(Machine)
	for _, size := range sizes {
		m.pair = append(m.pair, pair(size))
	}
	for i, heap := range heaps {
		memory := bytes.Repeat([]byte{1}, heap)
		for _, size := range sizes {
			m.cold[i] = append(m.cold[i], cold(memory, size))
		}
	}
	return m
}

func pair(size int) float64 {
	const n = 10_000
	return fastest(func() {
		for range n {
			bytespool.Release(bytespool.New(size))
		}
	}) / n
}

// cold returns by how much longer it takes to write to memory that was not used since the last collection
// than to the same memory again.
func cold(memory []byte, size int) float64 {
	from := make([]byte, size)
	span := max(size, 8<<10) // in which the allocator goes forwards
	spans := rand.Perm(len(memory) / span)
	write := func(step int) float64 {
		return fastest(func() {
			for _, i := range spans {
				for at := 0; at < span; at += size {
					copy(memory[(i*span+at)*step:][:size], from)
				}
			}
		})
	}
	return max(0, write(1)-write(0)) / float64(len(memory))
}

// fastest returns the nanoseconds that the fastest of three runs takes.
func fastest(f func()) float64 {
	best := math.Inf(1)
	for range 3 {
		began := time.Now()
		f()
		best = min(best, float64(time.Since(began)))
	}
	return best
}

// nearest returns the value for the size that is nearest.
func nearest(values []float64, size float64) float64 {
	if values == nil {
		return 0
	}
	best := 0
	for i := range sizes {
		if math.Abs(math.Log(float64(sizes[i])/size)) < math.Abs(math.Log(float64(sizes[best])/size)) {
			best = i
		}
	}
	return values[best]
}
