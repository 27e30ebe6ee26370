package engine

import (
	"testing"
)

// Reading the counters of classes does not allocate: a page that is reloaded every second
// reads those of all pools.
func TestStatsAllocateLittle(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := newPool(c)
		for size := 64; size <= 4096; size *= 2 {
			keep(p, 1, size)
		}
		getCarrier(carriers(p), 64)
		if n := testing.AllocsPerRun(100, func() {
			for k := range p.classes {
				p.inUse(k)
				p.class(&p.row, k).Idle()
			}
		}); n > 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
