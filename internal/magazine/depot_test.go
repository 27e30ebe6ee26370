package magazine

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// newDepot returns a depot of items of 64 bytes, with a budget of so many of them, 0 for none,
// and without a bound.
func newDepot(items int) *depot {
	s, d := new(Shared), new(depot)
	s.Budget.Init(int64(items)*64, 1)
	d.init(64, s)
	d.bound.spare = 1 << 20
	return d
}

// add and get are give and take for the only processor that is at work.
func (d *depot) add(items []Item) bool { return d.give(0, items) > 0 }

func (d *depot) get(batch []Item) int { return d.take(0, batch) }

// items returns what is on that processor's list and not retired.
func (d *depot) items() []Item { return d.list(0).items }

// items64 returns n items of 64 bytes.
func items64(n int) (all []Item) {
	for range n {
		all = append(all, ItemOf(make([]byte, 64)))
	}
	return all
}

// age has d take a step at the given time, with so many bytes that may be held for so long.
func (d *depot) age(now, retain time.Duration, room int64) (left bool, dropped int) {
	return d.step(0, &Keep{Now: now, Retain: retain, Room: &room})
}

// Who takes an item back takes few others with it, where items are large.
func TestDepotRetiresFew(t *testing.T) {
	quietly(func() {
		d := newDepot(0)
		d.capacity = retiredBytes / 2
		d.add(items64(6))
		d.age(0, 0, 0)
		var one [1]Item
		d.get(one[:])
		if _, dropped := d.age(0, 0, 0); dropped != 4 || d.len() != 1 {
			t.Errorf("one item of 6 was taken, 4 others were not touched: %d were dropped, and %d are kept", dropped, d.len())
		}
	})
}

// What is retired stays for the retention, and what was used last, if there is not room for
// all of it.
func TestDepotHolds(t *testing.T) {
	const d10, n = 10 * time.Second, 3 * slots
	d, all := newDepot(n), items64(n)
	d.add(all)
	d.age(0, d10, 1<<20)
	for _, now := range []time.Duration{1, d10 / 2, d10 - 1} {
		runtime.GC()
		if left, dropped := d.age(now, d10, 1<<20); !left || dropped != 0 {
			t.Errorf("at %v %d items were dropped", now, dropped)
		}
	}
	if left, dropped := d.age(d10, d10, 1<<20); left || dropped != n {
		t.Errorf("%d items were dropped after their time, want %d", dropped, n)
	}

	d.add(all)
	d.age(0, d10, 2*slots*64+63)
	all = slices.Clone(all[slots:])
	runtime.GC()
	if _, dropped := d.age(1, d10, 1<<20); dropped != slots {
		t.Errorf("%d items were dropped for which there was no room, want %d", dropped, slots)
	}
	runtime.GC()
	var batch batch
	for i := len(all); i > 0; {
		n := d.get(batch[:])
		if n == 0 || !slices.EqualFunc(batch[:n], all[i-n:i], same) {
			t.Fatalf("%d items before item %d are not those that were used last", n, i)
		}
		i -= n
	}
}

// A processor takes what it has released itself, then what others have, and only then what was
// retired: its own first.
func TestDepotOfProcessors(t *testing.T) {
	quietly(func() {
		d, all := newDepot(0), items64(6)
		lists := make([]list, 2)
		d.lists.Store(&lists)
		wants := func(processor uint32, want Item) {
			t.Helper()
			var one [1]Item
			if n := d.take(processor, one[:]); n != 1 || !same(one[0], want) {
				t.Fatalf("processor %d took %d items, or another than it should", processor, n)
			}
		}
		d.give(0, all[0:1])
		d.give(1, all[1:2])
		d.age(0, 0, 0)
		d.give(1, all[2:4])
		d.give(2, all[4:5]) // a processor more than there are lists: it shares the first
		d.give(3, all[5:6])
		wants(1, all[5])
		wants(0, all[4])
		wants(0, all[3])
		wants(1, all[2])
		wants(1, all[1])
		wants(1, all[0])
		if d.len() != 0 || d.bound.missed.Load() != 0 {
			t.Errorf("%d items are left, and %d were missed", d.len(), d.bound.missed.Load())
		}
	})
}

// What nobody takes does not pile up, not even over many steps; and what a period has taken
// or missed is kept for the next ones.
func TestDepotIsBounded(t *testing.T) {
	quietly(func() {
		d := newDepot(0)
		d.bound.spare = int64(spare(64, spareBytes))
		for range 5 {
			for range 1000 {
				d.add(items64(1))
			}
			if n := d.len(); n > 2*spare(64, spareBytes) {
				t.Errorf("%d items are kept, of which none was taken", n)
			}
			d.age(0, 0, 0)
		}
		if d.overBound.Load() == 0 {
			t.Error("nothing exceeded the bound")
		}
		d.clear()
		var one [1]Item
		for range 500 {
			d.get(one[:]) // in vain
		}
		for round := range 4 {
			before := d.overBound.Load()
			if d.add(items64(500)); d.len() != 500 || d.overBound.Load() != before {
				t.Errorf("round %d: of 500 items that were missed or taken %d are kept", round, d.len())
			}
			d.age(0, 0, 0)
			d.age(0, 0, 0)
			d.add(items64(500))
			for range 500 {
				d.get(one[:])
			}
		}
	})
}

// A depot does what a list does, whatever happens in whatever order: it hands out the newest items
// first, keeps within its budget, refers to nothing that it gave away, and drops what two steps
// have found unused.
func TestDepotAgainstModel(t *testing.T) {
	quietly(func() {
		rnd := rand.New(rand.NewPCG(3, 4))
		const most = 300
		d := newDepot(most)
		type entry struct {
			Item
			age int
		}
		var model []entry // newest last
		var batch batch
		for i := range 20_000 {
			switch op := rnd.IntN(20); {
			case op < 10:
				xs := items64(1 + rnd.IntN(len(batch)))
				refused := d.overBudget.Load()
				over := max(0, len(xs)-(most-len(model)))
				if d.add(xs) != (over < len(xs)) || int(d.overBudget.Load()-refused) != over {
					t.Fatalf("step %d: %d items of %d are over budget", i, d.overBudget.Load()-refused, len(xs))
				}
				for _, x := range xs[over:] {
					model = append(model, entry{x, 0})
				}
			case op < 19:
				n := d.get(batch[:1+rnd.IntN(len(batch))])
				if n == 0 != (len(model) == 0) || n > len(model) {
					t.Fatalf("step %d: %d items of %d", i, n, len(model))
				}
				rest := model[len(model)-n:]
				for k, x := range batch[:n] {
					if !same(x, rest[k].Item) {
						t.Fatalf("step %d: another item than the newest", i)
					}
				}
				model = model[:len(model)-n]
				if n > 0 && rest[0].age > 0 { // a stack was taken back whole
					for k := max(0, len(model)-slots); k < len(model); k++ {
						if len(d.items()) >= len(model)-k {
							model[k].age = 0
						}
					}
				}
			case i%50 == 0:
				if n := d.clear(); n != len(model) {
					t.Fatalf("step %d: %d items of %d were cleared", i, n, len(model))
				}
				model = nil
			default:
				d.age(0, 0, 0)
				model = slices.DeleteFunc(model, func(e entry) bool { return e.age > 0 })
				for k := range model {
					model[k].age++
				}
			}
			if d.len() != len(model) || d.budget.left.Load() != int64(most-len(model))*64 {
				t.Fatalf("step %d: %d items, want %d; %d bytes are left", i, d.len(), len(model), d.budget.left.Load())
			}
			if items := d.items(); slices.ContainsFunc(items[len(items):cap(items)], Item.Some) {
				t.Fatalf("step %d: the depot refers to what it gave away", i)
			}
		}
	})
}
