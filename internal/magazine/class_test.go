package magazine

import (
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/octet-go/octet/bytespool/stats"
)

// What is put is found again, on the stack, in the depot and after a step, the newest first
// where one goroutine is at work on one processor.
func TestPutAndGet(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		for _, capacity := range []int{8, 1024, 64 << 10, 1 << 20} {
			for _, steps := range []int{0, 1} {
				quietly(func() {
					c := newClass(newShared(portable, 0), capacity, 20)
					var all []Item
					for range c.room + int(c.depot.bound.spare) {
						x := newItem(c)
						if kept, _ := c.Put(x); !kept {
							t.Fatalf("item %d of %d bytes was not kept", len(all), capacity)
						}
						all = append(all, x)
					}
					for range steps {
						if left, dropped := step(c, 0, 0, 0); !left || dropped > 0 {
							t.Errorf("a step dropped %d items", dropped)
						}
					}
					if c.Idle() != len(all) {
						t.Errorf("%d items are idle, want %d", c.Idle(), len(all))
					}
					seen := map[*byte]bool{}
					for range all {
						x := get(c)
						if !x.Some() {
							t.Fatalf("%d of %d items were found", len(seen), len(all))
						}
						seen[&x.Slice(1, 1)[0]] = true
					}
					if len(seen) != len(all) || get(c).Some() || c.Idle() != 0 {
						t.Errorf("%d items were found, want %d; %d are idle", len(seen), len(all), c.Idle())
					}
					if s := c.Counts(); s.Gets != uint64(len(all)+1) || s.Misses != 1 || s.Puts != uint64(len(all)) || s.Dropped != (stats.Dropped{}) {
						t.Errorf("%+v", s)
					}
				})
			}
		}
	})
}

// What nobody uses is gone with the collection after the next, and no step need follow it.
// What is used between collections stays, and nothing else.
func TestIdleItemsGo(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		c := newClass(newShared(portable, 0), 1024, 20)
		var ws []weak.Pointer[byte]
		func() {
			for range 150 {
				x := newItem(c)
				ws = append(ws, weak.Make(&x.Slice(1, 1)[0]))
				c.Put(x)
			}
		}()
		step(c, 0, 0, 0)
		runtime.GC()
		for i, w := range ws {
			if w.Value() != nil {
				t.Fatalf("item %d is there after a collection", i)
			}
		}
		if left, dropped := step(c, 0, 0, 0); left || dropped != 150 || c.Idle() != 0 {
			t.Errorf("the next step dropped %d items, want 150; %d are idle", dropped, c.Idle())
		}
		if s := c.Counts(); s.Dropped != (stats.Dropped{Aged: 150}) || found(c, 10) != 0 {
			t.Errorf("%+v", s)
		}

		quietly(func() {
			for range 10 {
				putNew(c, 20)
				step(c, 0, 0, 0)
				if n := found(c, 20); n != 20 {
					t.Fatalf("%d of 20 items that are in use were found after a step", n)
				}
			}
		})
	})
}

// A class without stacks keeps its items in the depot, and one whose budget is used up keeps
// nothing more.
func TestClassWithoutStacks(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		s := newShared(portable, 10*1024)
		c := newClass(s, 1024, 1000)
		if c.room != 0 {
			t.Fatalf("stacks hold %d items", c.room)
		}
		kept := 0
		for range 15 {
			if ok, _ := c.Put(newItem(c)); ok {
				kept++
			}
		}
		if kept != 10 || c.Idle() != 10 || !s.Budget.Refused() {
			t.Errorf("%d items were kept, %d are idle, want 10", kept, c.Idle())
		}
		if n := c.Counts(); n.Dropped != (stats.Dropped{OverBudget: 5}) || n.Puts != 15 {
			t.Errorf("%+v", n)
		}
		quietly(func() {
			step(c, 0, 0, 0)
			if n := found(c, 15); n != 10 {
				t.Errorf("%d items were found, want 10", n)
			}
		})
		c.Discard(Abandoned)
		if n := c.Counts(); n.Dropped != (stats.Dropped{OverBudget: 5, Abandoned: 1}) || n.Puts != 16 {
			t.Errorf("%+v", n)
		}
	})
}

// An odd item remembers what it has, and counts as one of the next class.
func TestOddItems(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		quietly(func() {
			s := newShared(portable, 0)
			c := new(Class)
			c.Init(&Head{Capacity: 1024}, s, 4, 2048)
			sizes := []int{1025, 1500, 2047, 1 << 16, 1030, OddLeast}
			for _, n := range sizes {
				if kept, _ := c.Put(OddItemOf(make([]byte, 0, n))); !kept {
					t.Errorf("an odd item of %d bytes was not kept", n)
				}
			}
			if n := c.Counts(); n.Idle != 6 || n.Odd != 6*1024 || n.Puts != 6 {
				t.Errorf("%+v", n)
			}
			for range sizes {
				x := c.Take()
				if n := int(x.OddCapacity()); !slices.Contains(sizes, n) || len(x.Slice(n, uintptr(n))) != n {
					t.Errorf("an odd item has %d bytes, want one of %v", n, sizes)
				} else {
					sizes[slices.Index(sizes, n)] = 0
				}
			}
		})
	})
}

// A class that is closed has no records for the fast paths, and works nevertheless.
func TestOpen(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		c := newClass(newShared(portable, 0), 64, 20)
		isOpen := func() bool {
			return c.Record(0) != nil
		}
		if isOpen() {
			t.Error("a class without records is open")
		}
		putNew(c, 1)
		if isOpen() == portable {
			t.Errorf("it is open: %v", !portable)
		}
		c.Open(false)
		if isOpen() {
			t.Error("it is open once it is closed")
		}
		if !get(c).Some() {
			t.Error("a class that is closed gives nothing")
		}
		c.extend(3 * int(c.n.Load()))
		if isOpen() {
			t.Error("more records open it")
		}
		c.Open(true)
		if isOpen() == portable {
			t.Errorf("it is open again: %v", !portable)
		}
		if !portable && c.Record(int(c.n.Load())) != nil {
			t.Error("there are more records than processors")
		}
	})
}

// A put or get passes over a stripe that somebody holds.
func TestStripesArePassedOver(t *testing.T) {
	c := newClass(newShared(true, 0), 64, 20)
	get(c)
	var held []*Record
	for range 3 {
		l := c.lockStripe()
		if slices.Contains(held, l) {
			t.Fatal("two goroutines hold a stripe")
		}
		held = append(held, l)
	}
	putNew(c, 1)
	if !get(c).Some() {
		t.Error("what was put beside three stripes that are held is not found")
	}
	for _, l := range held {
		c.Unpin(l)
	}
}

// Records that are added for more processors have stacks like the others, unless there is a
// budget, which is divided already. A table never gets smaller, the old one keeps its
// counters, and what lay there is dropped.
func TestExtend(t *testing.T) {
	onBothEngines(t, func(t *testing.T, portable bool) {
		for _, budget := range []int64{0, 64 << 20} {
			s := newShared(portable, budget)
			c := newClass(s, 64, 20)
			n := Records(portable)
			c.extend(n)
			putNew(c, 1)
			c.extend(3 * n)
			if i := c.Idle(); i > 0 {
				t.Errorf("budget %d: %d items are idle in a table that is not used any more", budget, i)
			}
			c.extend(2 * n) // who comes late
			tables := *c.tables.Load()
			if len(tables) != 2 || len(tables[1]) != 3*n || c.n.Load() != uintptr(3*n) {
				t.Fatalf("budget %d: %d tables, %d records", budget, len(tables), c.n.Load())
			}
			for i := range tables[1] {
				want := c.room
				if budget > 0 && i >= n {
					want = 0
				}
				if got := int(tables[1][i].room); got != want || c.room == 0 {
					t.Errorf("budget %d: a stack of record %d holds %d items, want %d", budget, i, got, want)
				}
			}
			if c.Puts() != 1 || c.Counts().Dropped.Aged+c.Counts().Dropped.Trimmed != 1 {
				t.Errorf("budget %d: %+v", budget, c.Counts())
			}
			quietly(func() { // or the get may run on another processor
				if putNew(c, 1); !get(c).Some() {
					t.Errorf("budget %d: the new table does not work", budget)
				}
			})
		}
	})
}

// Stacks hold few items of large classes, but at least one; fewer, where many processors have one,
// or a doubling several classes.
func TestStackRoom(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	none := new(Shared)
	for capacity, want := range map[int]int{0: slots, 1: slots, 1024: slots, 4096: 16, 8192: 8, 16 << 10: 4, 64 << 10: 4, 80 << 10: 3, 128 << 10: 2, 256 << 10: 1, 1 << 20: 1, 1 << 30: 1} {
		if n := none.StackRoom(capacity, 20); n != want {
			t.Errorf("stacks hold %d items of %d bytes, want %d", n, capacity, want)
		}
	}
	for _, procs := range []int{1, 8, 9, 16, 100} {
		runtime.GOMAXPROCS(procs)
		for _, s := range []*Shared{{}, {Steps: 4}, {Portable: true}} {
			stacks := procs
			if s.Portable {
				stacks = Records(true)
			}
			for capacity := 16; capacity <= 1<<22; capacity += capacity / 4 {
				n := s.StackRoom(capacity, 20)
				if all := n * capacity * stacks * max(s.Steps, 1); n > 1 && all > allBytes || n < 1 || n > slots {
					t.Errorf("%d stacks, steps %d: each holds %d items of %d bytes", stacks, s.Steps, n, capacity)
				}
			}
		}
	}
}
