package magazine

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// The counters are exact once all operations have ended, whatever was dropped meanwhile.
func TestCountsAreExact(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		const goroutines, rounds = 8, 3000
		c := newClass(newShared(portable, 0), 256, 20)
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 3))
				mine := 0
				for range rounds {
					if get(c); true {
						mine++
					}
					switch rnd.IntN(60) {
					case 0:
						c.shared.Mu.Lock()
						c.Drop()
						c.shared.Mu.Unlock()
					case 1:
						step(c, time.Hour, time.Second, int64(rnd.IntN(1<<16)))
					}
					for mine > rnd.IntN(100) {
						putNew(c, 1)
						mine--
					}
				}
				for range mine {
					putNew(c, 1)
				}
			})
		}
		wg.Wait()
		s := c.Counts()
		const n = goroutines * rounds
		if s.Capacity != 256 || s.Gets != n || s.Puts != n || s.InUse() != 0 || c.InUse(true) != 0 || c.Gets() != n || c.Puts() != n {
			t.Errorf("%+v; want %d gets and puts of 256 bytes", s, n)
		}
		d := s.Dropped
		if s.Misses == 0 || s.Hits()+s.Misses != s.Gets || s.Puts != s.Hits()+s.Idle+d.OverBudget+d.OverBound+d.Aged+d.Trimmed || int(s.Idle) != c.Idle() {
			t.Errorf("the books do not balance: %+v", s)
		}
		if c.InUse(false) != -int64(s.Misses) {
			t.Errorf("without new items %d are in use, want %d", c.InUse(false), -int64(s.Misses))
		}
		c.Drop()
		if after := c.Counts(); after.Idle != 0 || after.Odd != 0 || after.Dropped.Trimmed != d.Trimmed+s.Idle {
			t.Errorf("after Drop: %+v; before: %+v", after, s)
		}
	})
}
