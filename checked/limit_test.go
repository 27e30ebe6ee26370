package checked_test

import (
	"fmt"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
)

// Slices that were sampled are released when another mode has begun. They are not in use
// any more, also those of the largest class and above it.
func TestSampledGoesBackToTheLimit(t *testing.T) {
	const largest, rounds = 4096, 20
	limit := bytespool.WithLimit(1 << 20)
	start := func(m checked.Mode, o checked.Options) (stop func()) {
		o.Mode = m
		stop, err := checked.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		return stop
	}
	for later := checked.Off; later <= checked.Guard; later++ {
		for _, c := range []struct {
			name string
			user func() (*bytespool.Pool, func(n int) (release func()))
		}{
			{"Pool", func() (*bytespool.Pool, func(int) func()) {
				p := bytespool.NewPool(bytespool.WithSizes(64, largest), limit)
				return p, func(n int) func() { b := p.New(n); return func() { p.Release(b) } }
			}},
			{"BufPool", func() (*bytespool.Pool, func(int) func()) {
				p := bytespool.NewBufPool(largest, limit)
				return p.Pools(), func(int) func() { b := p.Get(); return func() { p.Put(b) } }
			}},
			{"PointerPool", func() (*bytespool.Pool, func(int) func()) {
				pools := bytespool.NewPool(bytespool.WithSizes(64, largest), limit)
				p := bytespool.NewPointerPool(pools)
				return pools, func(n int) func() { b := p.Get(n); return func() { p.Put(b) } }
			}},
		} {
			t.Run(fmt.Sprint(c.name, "/", later), func(t *testing.T) {
				pools, use := c.user()
				for range rounds {
					end := start(checked.Sample, checked.Options{OneIn: 1})
					var releases []func()
					for _, n := range []int{100, largest, largest + 40} {
						releases = append(releases, use(n))
					}
					end()
					end = start(later, checked.Options{})
					for _, release := range releases {
						release()
					}
					end()
				}
				if n := pools.Stats().Limit.InUse; n != 0 {
					t.Errorf("%d bytes are in use", n)
				}
			})
		}
	}
}
