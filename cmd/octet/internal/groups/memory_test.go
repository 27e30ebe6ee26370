package groups

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
)

// BenchmarkMemory measures how much of a burst the next one finds, with some collections between
// and no others: miss-% is the share of the slices of 64 KiB that had to be allocated.
func BenchmarkMemory(b *testing.B) {
	const size = 64 << 10
	octet := func(opts ...bytespool.Option) func() (func(int), func() uint64) {
		return func() (func(int), func() uint64) {
			p := bytespool.NewPool(opts...)
			return burst[[]byte](octetPool{p, size}, burstSize), func() uint64 { return p.Stats().Misses }
		}
	}
	for _, gcs := range []int{1, 2, 4} {
		for _, pool := range []struct {
			name string
			open func() (bursts func(n int), misses func() uint64)
		}{
			{"octet", octet()},
			{"octet, retain 0", octet(bytespool.WithRetain(0))},
			{"sync.Pool", func() (func(int), func() uint64) {
				var missed atomic.Uint64
				p := newSyncPool(size)
				alloc := p.New
				p.New = func() any {
					missed.Add(1)
					return alloc()
				}
				return burst[*[]byte](syncPool{p}, burstSize), missed.Load
			}},
		} {
			b.Run(fmt.Sprintf("gcs=%d/of=%s", gcs, pool.name), func(b *testing.B) {
				defer debug.SetGCPercent(debug.SetGCPercent(-1))
				bursts, misses := pool.open()
				do := func(n int) {
					for range n {
						bursts(1)
						for range gcs {
							runtime.GC()
							time.Sleep(time.Millisecond) // for the finalizer by which octet notices a collection
						}
					}
				}
				do(10) // fill the pool, on each processor that the goroutine happens to run on
				before := misses()
				b.ResetTimer()
				do(b.N)
				b.ReportMetric(100*float64(misses()-before)/float64(b.N*burstSize), "miss-%")
			})
		}
	}
}
