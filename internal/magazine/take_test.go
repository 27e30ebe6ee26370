package magazine

import (
	"testing"
	"time"
)

// A stripe serves what another one has, if nobody holds that, also what is retired there.
func TestSteal(t *testing.T) {
	for _, retired := range []bool{false, true} {
		testSteal(t, retired, 64, slots)
		testSteal(t, retired, 1<<20, 1) // which move one by one
	}
}

func testSteal(t *testing.T, retired bool, capacity int, room uint32) {
	c := newClass(newShared(true, 0), capacity, 20)
	get(c) // which makes the records
	own := c.lockStripe()
	c.Unpin(own)
	for l := range c.all().each {
		if l != own {
			l.install(new(stack), room)
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
		for room, along := range map[int]bool{1: false, 3: false, 4: true, slots: true} {
			quietly(func() {
				c := newClass(newShared(portable, 0), 64, 20)
				c.room = room
				c.extend(2)
				lists := make([]list, 2)
				c.depot.lists.Store(&lists)
				near, far := newItem(c), newItem(c)
				c.depot.give(0, []Item{far, far})
				c.depot.give(1, []Item{near, near})
				l := c.records.at(1)
				if x := c.Stored(l); !same(x, near) {
					t.Errorf("room %d: the item of another processor comes first", room)
				}
				if n := c.depot.len(); along != (n == 2) {
					t.Errorf("room %d: %d items are left", room, n)
				}
			})
		}
	})
}

// A loan is what is at hand, and then what the depot has, and counts as a request.
func TestTake(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		for _, retired := range []bool{false, true} {
			quietly(func() {
				c := oneRecord(portable, 64)
				if !portable && c.HasIdle() {
					t.Error("a class that nothing was put into has something")
				}
				first, second := newItem(c), newItem(c)
				c.Put(first)
				c.depot.give(0, []Item{second})
				if retired {
					step(c, 0, 0, 0)
				}
				for i, want := range []Item{first, second, {}} {
					if !portable && c.HasIdle() != want.Some() {
						t.Errorf("retired %v: before request %d HasIdle says %v", retired, i, c.HasIdle())
					}
					if x := c.Take(); !same(x, want) {
						t.Errorf("retired %v: request %d was given another item", retired, i)
					}
				}
				if s := c.Counts(); s.Gets != 2 || s.Misses != 0 || s.Idle != 0 {
					t.Errorf("%+v", s)
				}
			})
		}
	})
}

// Loans are counted with what they have, and now and then the caller is to look.
func TestCountLoan(t *testing.T) {
	for _, capacity := range []uintptr{100, 64 << 10, 73_728, 1 << 20, 6 << 20} {
		c := oneRecord(true, 64)
		before := c.Loans()
		const n = 100_000
		looks := 0
		for range n {
			if c.CountLoan(capacity) {
				looks++
			}
		}
		each := (capacity + lentUnit - 1) / lentUnit * lentUnit
		if got, bytes := c.Loans().Since(before); got != n || uint32(bytes/lentUnit) != uint32(n*uint64(each)/lentUnit) {
			t.Errorf("%d bytes: %d loans of %d bytes, want %d of %d", capacity, got, bytes, n, n*uint64(each))
		}
		if want := min(n, int(n*uint64(each)/lookBytes)); looks < want-1 || looks > want+1 {
			t.Errorf("%d bytes: %d looks at %d loans, want %d", capacity, looks, n, want)
		}
	}
}
