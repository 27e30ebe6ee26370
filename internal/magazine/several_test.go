package magazine

import (
	"slices"
	"testing"
)

// What is put by several is found by several and one by one, each once, and all is counted as
// if it had been put and taken one by one.
func TestSeveral(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		for _, budget := range []int64{0, 1 << 20, 64 << 20} {
			for _, capacity := range []int{1024, 64 << 10, 1 << 20} {
				for _, n := range []int{1, 8, 50} {
					quietly(func() {
						c := newClass(newShared(portable, budget), capacity, 20)
						c.extend(1) // one record, wherever the caller runs
						kept, puts := 0, 0
						for range 3 {
							items := make([]Item, n)
							for i := range items {
								items[i] = newItem(c)
							}
							k, _ := c.PutN(items)
							kept += k
							puts += n
						}
						if s := c.Counts(); c.Idle() != kept || kept == 0 && budget != 1<<20 || int(s.Puts) != puts ||
							int(s.Dropped.OverBound+s.Dropped.OverBudget) != puts-kept {
							t.Errorf("%d of %d items of %d bytes were kept, %d are idle: %+v", kept, puts, capacity, c.Idle(), s)
						}
						step(c, 0, 0, 0)
						seen := map[*byte]bool{}
						for to := make([]Item, n); ; clear(to) {
							k := c.TakeN(to)
							for _, x := range to[:k] {
								seen[&x.Slice(1, 1)[0]] = true
							}
							if k < n {
								break
							}
						}
						if len(seen) != kept || c.Idle() != 0 || get(c).Some() {
							t.Errorf("%d of %d items of %d bytes were found, and %d are idle", len(seen), kept, capacity, c.Idle())
						}
						if s := c.Counts(); int(s.Gets) != kept+1 || s.Misses != 1 || c.InUse(true) != int64(kept+1-puts) || c.InUse(false) != int64(kept-puts) {
							t.Errorf("%d items of %d bytes were taken: %d in use, %d of them made: %+v", kept, capacity, c.InUse(true), c.InUse(false), s)
						}
					})
				}
			}
		}
	})
}

// Several items move between caller and depot at once, and not one by one, where a stack
// holds few.
func TestSeveralAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		quietly(func() {
			c := oneRecord(portable, 1<<20)
			c.limit = 1
			room := int64(0)
			c.Step(40, &Keep{Room: &room}) // so many are in use, so that the depot keeps as many
			items := make([]Item, 9)
			for i := range items {
				items[i] = newItem(c)
			}
			if kept, _ := c.PutN(items); kept != 9 {
				t.Fatalf("%d of 9 were kept", kept)
			}
			// One by one they would come the newest first.
			got := make([]Item, 9)
			if n := c.TakeN(got); n != 9 || !slices.EqualFunc(got[:8], items[1:], same) || !same(got[8], items[0]) {
				t.Errorf("%d of 9 were taken, or not at once what the depot had", n)
			}
		})
	})
}
