package engine

import (
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
			if n := idle(p); n != 0 {
				t.Errorf("budget %d: %d bytes idle after Trim", budget, n)
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
			for range 2 { // stacks, and what is retired
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
