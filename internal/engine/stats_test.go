package engine

import (
	"math"
	"reflect"
	"testing"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/magazine"
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
			p.Look()
			for c := range p.allClasses {
				c.Counts()
				c.Idle()
			}
		}); n > 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// Statistics have all classes, up to the largest there is.
func TestStatsHaveAllClasses(t *testing.T) {
	for _, steps := range []int{1, 2, 4} {
		p := newPool(Config{MinSize: 2, MaxSize: math.MaxInt, Options: stats.Options{Steps: steps}})
		last := p.grid.Last()
		for k := magazine.FirstClass; k <= last; k++ {
			p.class(&p.row, k).CountPuts(k)
		}
		s := p.Stats()
		if len(s.Classes) != last-magazine.FirstClass+1 {
			t.Fatalf("%d classes, want %d", len(s.Classes), last-magazine.FirstClass+1)
		}
		for i, c := range s.Classes {
			if k := i + magazine.FirstClass; c.Capacity != p.grid.Capacity(k) || c.Puts != uint64(k) {
				t.Errorf("class %d: %+v", k, c)
			}
		}
	}
}

// Each reason for a drop is added.
func TestAddDropped(t *testing.T) {
	var one, sum stats.Dropped
	v := reflect.ValueOf(&one).Elem()
	for i := range v.NumField() {
		v.Field(i).SetUint(1)
	}
	AddDropped(&sum, one, 2)
	AddDropped(&sum, one, 1)
	for v, i := reflect.ValueOf(sum), 0; i < v.NumField(); i++ {
		if n := v.Field(i).Uint(); n != 3 {
			t.Errorf("%s is %d, want 3", v.Type().Field(i).Name, n)
		}
	}
}
