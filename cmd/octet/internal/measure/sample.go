package measure

import (
	"runtime"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// minSlice is the length of the shortest slice, however little time there is.
// In a shorter one the call, the clock and interrupts would weigh too much.
const minSlice = 500 * time.Microsecond

// sliceLength returns how long a slice of one of so many contestants is. Calibration takes as
// long as two rounds, and a quarter of the time is for what is around the slices:
// collections, Start and warming up.
func sliceLength(contestants int, o Options) time.Duration {
	slice := o.Time * 3 / 4 / time.Duration(max(1, (o.Rounds+2)*contestants))
	if o.MaxSlice > 0 {
		slice = min(slice, o.MaxSlice)
	}
	return max(slice, minSlice)
}

// maxOperations bounds the operations of a slice, also on 32-bit machines.
const maxOperations = 1 << 30

// calibrate estimates how many operations fill a slice, and sets the contestant's N. It
// doubles their number until they take half of that, with the collections that they cause,
// and until twice as many take clearly longer. Otherwise it would take for the cost of an
// operation what a call costs by itself, such as starting a thousand goroutines, or
// the cost of the first operation, which fills a pool.
func calibrate(c *contest.Contestant, least int, slice time.Duration) {
	runtime.GC()
	do := c.Start()
	n := least
	var took time.Duration
	for {
		half := took
		began := time.Now()
		do(n)
		took = time.Since(began)
		if took >= slice/2 && half > 0 && took >= half*3/2 || half >= slice || n > maxOperations/2 {
			break
		}
		n *= 2
	}
	fill := float64(n) * float64(slice) / float64(max(took, 1))
	c.N = int(min(max(float64(least), fill), maxOperations))
}

// sample takes a sample of the contestant. An eighth of its operations precede it, to fill
// the caches and pools that are empty after Start.
func sample(c *contest.Contestant) map[string]float64 {
	runtime.GC() // or one in the slice might be due to earlier slices
	do := c.Start()
	do(max(1, c.N/8))
	return work(do, c.N)
}

// work does n operations and returns their figures by unit. Reading the statistics
// of the allocator stops the world and is exact; it happens before the clock starts and after
// it stops.
func work(do func(n int), n int) map[string]float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	do(n)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	return map[string]float64{
		contest.Time:   float64(took.Nanoseconds()) / float64(n),
		contest.Bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		contest.Allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
}
