package engine

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
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
				c.Idle()
			}
		}); n > 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func TestStatsAreExact(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 64, 1<<16
		p := newPool(c)
		const goroutines, rounds = 16, 2000
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 3))
				var mine [][]byte
				for range rounds {
					mine = append(mine, p.New(1000))
					if rnd.IntN(50) == 0 {
						p.Trim()
					}
					for len(mine) > rnd.IntN(100) {
						p.Release(mine[len(mine)-1])
						mine = mine[:len(mine)-1]
					}
				}
				for _, b := range mine {
					p.Release(b)
				}
				p.Release(make([]byte, 10))
				p.New(1<<16 + 1)
				p.Release(make([]byte, 1<<17)) // after New, or it would be taken for one that has grown
			})
		}
		wg.Wait()
		s := p.Stats()
		if len(s.Classes) != 1 {
			t.Fatalf("%d classes were used, want 1: %+v", len(s.Classes), s.Classes)
		}
		cs := s.Classes[0]
		const n = goroutines * rounds
		if cs.Capacity != 1024 || cs.Gets != n || cs.Puts != n || cs.Dropped.OverBudget != 0 {
			t.Errorf("%+v; want %d gets and puts of 1024 bytes", cs, n)
		}
		if cs.Misses == 0 || cs.Hits()+cs.Misses != cs.Gets || cs.Puts != cs.Hits()+cs.Idle+cs.Dropped.Aged+cs.Dropped.Trimmed {
			t.Errorf("the books do not balance: %+v", cs)
		}
		if s.TooSmall != goroutines || s.TooLarge != goroutines || s.OutCount != goroutines || s.OutBytes != goroutines*(1<<16+1) {
			t.Errorf("outside the classes: %+v", s)
		}
		quietly(t, func() { // or what is idle may age
			keep(p, 8, 1000)
			cs := p.Stats().Classes[0]
			p.Trim()
			if after := p.Stats().Classes[0]; cs.Idle == 0 || after.Idle != 0 || after.Dropped.Trimmed != cs.Dropped.Trimmed+cs.Idle {
				t.Errorf("after Trim: %+v; before: %+v", after, cs)
			}
		})
	})
}

// Counters are not lost when the table of processors grows.
func TestGrowingTableKeepsCounters(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		p := newPool(c)
		var total uint64
		for _, procs := range []int{1, 4, 2, 9, 17, 1} {
			runtime.GOMAXPROCS(procs)
			var wg sync.WaitGroup
			for range 4 * procs {
				wg.Go(func() {
					for range 500 {
						p.Release(p.New(200))
					}
				})
				total += 500
			}
			wg.Wait()
			if cs := p.Stats().Classes[0]; cs.Gets != total || cs.Puts != total {
				t.Fatalf("after GOMAXPROCS %d: %d gets and %d puts, want %d", procs, cs.Gets, cs.Puts, total)
			}
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
