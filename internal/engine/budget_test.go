package engine

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A pool never keeps more than its budget, whatever is released and by which goroutine.
func TestBudget(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		for _, budget := range []int64{1, 1000, 100_000, 10 << 20} {
			c.Budget = budget
			p := newPool(c)
			var stop atomic.Bool
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(uint64(g), 2))
					for i := 0; i < 1000 || !stop.Load(); i++ {
						size := 2 << rnd.IntN(16)
						if rnd.IntN(3) > 0 {
							p.Release(make([]byte, size))
						} else {
							p.New(size)
						}
						runtime.Gosched() // or who changes GOMAXPROCS waits for long
					}
				})
			}
			for i := range 20 {
				runtime.GOMAXPROCS(1 + i%5)
				if i%5 == 0 {
					runtime.GC()
				}
				time.Sleep(time.Millisecond)
			}
			stop.Store(true)
			wg.Wait()
			if n := idle(p); n > budget {
				t.Errorf("%d bytes idle with a budget of %d", n, budget)
			}
			if s := p.Stats(); budget < 10<<20 {
				refused := uint64(0)
				for _, cs := range s.Classes {
					refused += cs.Dropped.OverBudget
				}
				if refused == 0 {
					t.Errorf("budget %d: nothing was refused", budget)
				}
			}
			p.Trim()
			if left, want := p.budget.left.Load(), budget-setAside(p); left != want {
				t.Errorf("budget %d: %d left for depots after Trim, want %d", budget, left, want)
			}
		}
	})
}

// Classes that came later, with Reconfigure, share the budget.
func TestBudgetOfOtherSizes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		const budget = 1 << 20
		c.Budget, c.MinSize, c.MaxSize = budget, 1024, 1024
		p := newPool(c)
		p.Reconfigure(64, 64<<10)
		o := carriers(p) // their shares are those of the sizes of now
		p.Reconfigure(2, 64<<10)
		quietly(t, func() {
			for range 2 { // stacks, and their victims
				for k := 1; k <= 16; k++ {
					for range min(budget>>k+1, 2000) {
						b := make([]byte, 1<<k)
						if o.Put(&carrier{b: b}, cap(b)) != Kept {
							p.Release(b)
						}
					}
				}
				if n := idle(p); n > budget || n < budget/10 {
					t.Errorf("%d bytes idle with a budget of %d", n, budget)
				}
				ageNow(p)
			}
		})
	})
}

// Stacks hold few items of large classes, but at least one. Records that are added for
// more processors have stacks like the others, unless there is a budget, which is
// divided already.
func TestStackLimits(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, c.Budget = range []int64{0, 64 << 20} {
			c.MaxSize = math.MaxInt
			p := newPool(c)
			for k := p.size.Load().minClass; k <= p.size.Load().maxClass; k++ {
				l := &p.classes[k]
				n := int64(l.limit) * int64(l.capacity)
				if n > stackBytes && l.limit > 1 || c.Budget == 0 && (l.limit == 0 || n < stackBytes/2 && l.limit < slots) {
					t.Errorf("budget %d: stacks of class %d hold %d items each, %d bytes", c.Budget, k, l.limit, n)
				}
			}
			l := &p.classes[6]
			p.extend(l, p.records)
			p.Release(make([]byte, 64))
			p.extend(l, 3*p.records)
			if n := idle(p); n > 0 {
				t.Errorf("budget %d: %d bytes idle in a table that is not used any more", c.Budget, n)
			}
			p.extend(l, 2*p.records) // who comes late: a table never gets smaller
			var sum int
			tables := *l.tables.Load()
			for i := range tables[1] {
				sum += int(tables[1][i].limit)
			}
			want := 3 * p.records * l.limit
			if c.Budget > 0 {
				want = p.records * l.limit
			}
			if len(tables) != 2 || len(tables[1]) != 3*p.records || sum != want || want == 0 {
				t.Errorf("budget %d: %d records of %d items in all, want %d", c.Budget, len(tables[1]), sum, want)
			}
		}
	})
}

// setAside returns the bytes that stacks and their victims may hold.
func setAside(p *Pool) (n int64) {
	s := p.size.Load()
	for k := s.minClass; k <= s.maxClass; k++ {
		n += int64(p.classes[k].limit) * int64(p.classes[k].capacity) * int64(p.records) * 2
	}
	return n
}

// A budget keeps what fits it.
func TestBudgetIsUsed(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Budget = 1 << 20
		p := newPool(c)
		quietly(t, func() {
			for range 100 {
				if !p.Release(make([]byte, 4096)) {
					t.Fatal("rejected although there is room")
				}
			}
			if n := idle(p); n != 100*4096 {
				t.Errorf("%d bytes idle, want %d", n, 100*4096)
			}
		})
	})
}
