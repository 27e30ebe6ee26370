package magazine

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// A budget gives no more than it has, however many ask at once, and has all of it again in
// the end.
func TestBudget(t *testing.T) {
	const total, capacity = 1000 * 64, 64
	var b Budget
	b.Init(total, 1)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			mine := 0
			for range 5000 {
				if rnd.IntN(2) == 0 {
					mine += b.reserve(rnd.IntN(300), capacity)
				} else if n := rnd.IntN(mine + 1); n > 0 {
					b.release(n, capacity)
					mine -= n
				}
				if left := b.left.Load(); left < 0 || left > total {
					t.Errorf("%d bytes are left of %d", left, total)
					return
				}
			}
			b.release(mine, capacity)
		})
	}
	wg.Wait()
	if left := b.left.Load(); left != total {
		t.Errorf("%d bytes are left of %d, and nobody has any", left, total)
	}
	b.Refused()
	if n := b.reserve(1000, capacity); n != 1000 || b.Refused() {
		t.Errorf("%d items were admitted, want 1000, and none refused", n)
	}
	if n := b.reserve(3, capacity); n != 0 || !b.Refused() || b.Refused() {
		t.Errorf("%d items were admitted over budget, or the refusal was not noted once", n)
	}
	if n := b.reserve(3, 0); n != 3 {
		t.Errorf("%d of 3 items without bytes were admitted", n)
	}
}

// A budget that has no bound admits everything, and refuses nothing.
func TestNoBudget(t *testing.T) {
	for _, total := range []int64{0, -1} {
		var b Budget
		b.Init(total, 4)
		if n := b.reserve(math.MaxInt32, 1<<30); n != math.MaxInt32 || b.Refused() || b.Total != 0 {
			t.Errorf("%d items were admitted, total %d", n, b.Total)
		}
		b.release(5, 64)
	}
}

// What a budget sets aside for all stacks is at most half of it, and nothing for large items, of which
// one processor may need all that it allows. What depots have taken is not set aside.
func TestBudgetOfStacks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	none := new(Shared)
	for _, total := range []int64{1, 1000, 1 << 20, 64 << 20, 1 << 40} {
		for _, records := range []int{1, 2, 64} {
			shared := new(Shared)
			b := &shared.Budget
			b.Init(total, records)
			g, sum := Grid{}, int64(0)
			for k := FirstClass; k <= 22; k++ {
				n := shared.StackRoom(g.Capacity(k), 22)
				if n > none.StackRoom(g.Capacity(k), 22) || n > 0 && g.Capacity(k) > stackBytes {
					t.Errorf("budget %d: a stack of class %d may hold %d items, more than without, or large ones", total, k, n)
				}
				sum += int64(n*g.Capacity(k)) * int64(records)
			}
			if sum > total/2 || b.left.Load() != total-sum {
				t.Errorf("budget %d, %d records: stacks may hold %d bytes, and %d are left", total, records, sum, b.left.Load())
			}
			if total > 1<<20 && sum < total/100 && sum < 20*64*slots {
				t.Errorf("budget %d, %d records: stacks may hold only %d bytes", total, records, sum)
			}
		}
	}
	shared := new(Shared)
	b := &shared.Budget
	b.Init(1<<20, 1)
	b.reserve(1<<20/64, 64)
	if n := shared.StackRoom(64, 1); n != 0 || b.left.Load() != 0 {
		t.Errorf("%d items were set aside of a budget that is used up; %d bytes are left", n, b.left.Load())
	}
}
