package engine

import (
	"testing"
)

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
