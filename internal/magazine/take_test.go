package magazine

import (
	"testing"
	"time"
)

// A get leaves a batch of the depot's on the stack, so that the depot is not asked each time.
func TestGetsRefill(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		quietly(func() {
			c := oneRecord(portable, 64)
			for range 100 {
				c.Store(newItem(c))
			}
			n, asked := 0, 0
			for before := c.depot.len(); get(c).Some(); n++ {
				if left := c.depot.len(); left < before {
					before = left
					asked++
				}
			}
			if n != 100 || asked > 10 {
				t.Errorf("%d of 100 items were found, and the depot was asked %d times", n, asked)
			}
		})
	})
}

// A stripe serves what another one has, if nobody holds that, also what is retired there.
func TestSteal(t *testing.T) {
	for _, retired := range []bool{false, true} {
		testSteal(t, retired, 64, slots)
		testSteal(t, retired, 1<<20, 1) // which move one by one
	}
}

func testSteal(t *testing.T, retired bool, capacity int, limit uint32) {
	c := newClass(newShared(true, 0), capacity, 20)
	get(c) // which makes the records
	own := c.lockStripe()
	own.Unlock()
	for l := range c.all().each {
		if l != own {
			l.install(new(stack), limit)
			l.Push(newItem(c))
		}
	}
	others := int(c.n.Load()) - 1
	if retired {
		step(c, 0, time.Second, 1<<20)
	}
	if n := found(c, others); n != others || get(c).Some() {
		t.Errorf("%d bytes, retired %v: %d of %d items on other stripes were found", capacity, retired, n, others)
	}
	if s := c.Counts(); s.Misses != 2 || s.Gets != uint64(others+2) {
		t.Errorf("%+v", s)
	}
}

// An item that is not at hand comes from the list of the caller's processor first, and brings
// others along, unless items move one by one.
func TestStoredNearby(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		for limit, along := range map[int]bool{1: false, 3: false, 4: true, slots: true} {
			quietly(func() {
				c := newClass(newShared(portable, 0), 64, 20)
				c.limit = limit
				c.extend(2)
				lists := make([]list, 2)
				c.depot.lists.Store(&lists)
				near, far := newItem(c), newItem(c)
				c.depot.give(0, []Item{far, far})
				c.depot.give(1, []Item{near, near})
				l := c.records.at(1)
				if x := c.Stored(l); !same(x, near) {
					t.Errorf("limit %d: the item of another processor comes first", limit)
				}
				if n := c.depot.len(); along != (n == 2) {
					t.Errorf("limit %d: %d items are left", limit, n)
				}
			})
		}
	})
}

// A holder that has met with another record moves what it has brought along to the depot,
// unless that record has no stack.
func TestRestoreElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		has, retired bool
		limit        int
		idle, stored int // items on the record and in the depot, in the end
	}{
		"no stack":          {false, false, slots, 3, 0},
		"a stack":           {true, false, slots, 2, 3},
		"a retired stack":   {true, true, slots, 2, 3},
		"no stack may be":   {false, false, 0, 0, 3},
		"nothing to retire": {false, true, slots, 3, 0},
	} {
		class := newClass(newShared(true, 0), 64, 20)
		l := class.Pin()
		if l.limit = uint32(c.limit); c.has {
			l.install(new(stack), slots)
			for range 2 {
				l.Push(newItem(class))
			}
		}
		if c.retired {
			l.retireFor(0, time.Second, 1<<20)
		}
		s, top := new(stack), uint32(slots)
		for range 3 {
			s.push(&top, newItem(class))
		}
		got, its := class.restore(l, s, top)
		if got != l || its != l.stack.Load() || l.idle() != c.idle || class.depot.len() != c.stored {
			t.Errorf("%s: %d items on the record, want %d; %d in the depot, want %d", name, l.idle(), c.idle, class.depot.len(), c.stored)
		}
		class.Unpin(l)
	}
}

// Loans count as requests, take what is at hand and then what the depot has, and are made
// even if there is no item.
func TestLend(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		for _, retired := range []bool{false, true} {
			quietly(func() {
				c := oneRecord(portable, 64)
				first, second := newItem(c), newItem(c)
				c.Put(first)
				c.Store(second)
				if retired {
					step(c, 0, 0, 0)
				}
				if x, ok := c.Lend(); ok || x.Some() || c.Gets() > 0 {
					t.Error("a loan without a credit")
				}
				if x := c.Grant(5); !same(x, first) {
					t.Errorf("retired %v: the first loan is another item", retired)
				}
				for i, want := range []Item{second, {}} {
					if x, ok := c.Lend(); !ok || !same(x, want) {
						t.Errorf("retired %v: loan %d: %v, or another item", retired, i, ok)
					}
				}
				if s := c.Counts(); s.Gets != 3 || s.Misses != 1 || s.Idle != 0 || credits(c) != 2 {
					t.Errorf("%+v; %d credits are left", s, credits(c))
				}
			})
		}
	})
}
