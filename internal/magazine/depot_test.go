package magazine

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"
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

// A depot hands out the newest items first, keeps within its budget, and refers to nothing
// that it gave away.
func TestDepot(t *testing.T) {
	d, all := newDepot(5), items64(7)
	holds := func(when string, want ...Item) {
		t.Helper()
		items := d.items()
		if !slices.EqualFunc(items, want, same) || d.len() != len(want) {
			t.Fatalf("%s the depot has %d items, want %d, or others", when, d.len(), len(want))
		}
		for _, x := range items[len(items):cap(items)] {
			if x.Some() {
				t.Errorf("%s the depot refers to what it gave away", when)
			}
		}
		if left := d.budget.left.Load(); left != int64(5-len(want))*64 {
			t.Errorf("%s there is room for %d bytes, want %d", when, left, (5-len(want))*64)
		}
	}
	if !d.add(all) || d.overBudget.Load() != 2 {
		t.Errorf("%d items of 7 were refused, want 2", d.overBudget.Load())
	}
	holds("after the first items", all[2:]...)
	if d.add(all[:1]) || d.overBudget.Load() != 3 {
		t.Error("an item over budget was kept, or not counted")
	}
	var batch batch
	if n := d.get(batch[:2]); n != 2 || !same(batch[0], all[5]) || !same(batch[1], all[6]) {
		t.Errorf("take: %d items, or not the newest", n)
	}
	holds("after take", all[2:5]...)
	d.add(batch[:1])
	holds("after one came back", all[2], all[3], all[4], all[5])
	if n := d.get(batch[:]); n != 4 {
		t.Errorf("take: %d items of 4", n)
	}
	holds("after all were taken")
	if n := d.get(batch[:]); n != 0 {
		t.Errorf("%d items came from nowhere", n)
	}
	d.add(all[:2])
	d.age(0, 0, 0)
	d.add(all[4:5])
	if n := d.clear(); n != 3 {
		t.Errorf("clear dropped %d items, want 3", n)
	}
	holds("after clear")
	if n := d.get(batch[:]); n != 0 || d.clear() != 0 {
		t.Errorf("%d items came from nowhere after clear", n)
	}
}

// What a step retires is found until the next step, the newest first, and takes part in the
// budget until then.
func TestDepotRetires(t *testing.T) {
	quietly(func() {
		const n = 3*slots + 7
		d, all := newDepot(n), items64(n)
		d.add(all)
		if left, dropped := d.age(0, 0, 0); !left || dropped != 0 || d.len() != n || d.items() != nil || d.budget.left.Load() != 0 {
			t.Errorf("after a step: left %v, %d dropped, %d kept in %d places; %d bytes are left", left, dropped, d.len(), cap(d.items()), d.budget.left.Load())
		}
		x := items64(2)
		if d.add(x[:1]) {
			t.Error("the budget had room for what is retired, and more")
		}
		var one [1]Item
		for i := n - 1; i >= 0; i-- {
			if d.get(one[:]); !same(one[0], all[i]) {
				t.Fatalf("item %d is not the newest any more", i)
			}
		}
		if d.get(one[:]) != 0 || d.len() != 0 || d.budget.left.Load() != n*64 {
			t.Errorf("%d items and %d bytes are left", d.len(), d.budget.left.Load())
		}
		// What is given meanwhile is newer.
		d.add(all)
		d.age(0, 0, 0)
		d.get(one[:])
		d.add(x)
		if d.get(one[:]); !same(one[0], x[0]) && !same(one[0], x[1]) {
			t.Error("something retired was found before what came later")
		}
		if left, dropped := d.age(0, 0, 0); !left || dropped != n-slots {
			t.Errorf("a second step dropped %d items, want %d", dropped, n-slots)
		}
		if left, dropped := d.age(0, 0, 0); left || dropped != slots-1 || d.budget.left.Load() != n*64 {
			t.Errorf("a third step dropped %d items, want %d; %d bytes are left", dropped, slots-1, d.budget.left.Load())
		}
	})
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

// What is retired is gone with the next collection, even if no step follows that. What the
// collector took does not count as kept once somebody has looked for it.
func TestDepotIsCollected(t *testing.T) {
	const n = 2*slots + 1
	d := newDepot(n)
	var ws []weak.Pointer[byte]
	func() {
		all := items64(n)
		for _, x := range all {
			ws = append(ws, weak.Make(&x.Slice(1, 1)[0]))
		}
		d.add(all)
		d.age(0, 0, 0)
	}()
	runtime.GC()
	for i, w := range ws {
		if w.Value() != nil {
			t.Fatalf("after a collection item %d is still there", i)
		}
	}
	var one [1]Item
	if d.get(one[:]) != 0 || d.len() != 0 || d.budget.left.Load() != n*64 {
		t.Errorf("%d items are kept, and %d bytes are left", d.len(), d.budget.left.Load())
	}
	if left, dropped := d.age(0, 0, 0); left || dropped != 0 {
		t.Errorf("%d items were dropped twice", dropped)
	}
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

// While processors put and take, and what nobody uses is retired and dropped, no item is in
// two hands, and in the end each number says what is there.
func TestDepotTogether(t *testing.T) {
	const processors, rounds, budget = 4, 5_000, 500 * 64
	d := newDepot(budget / 64)
	lists := make([]list, processors-1)
	d.lists.Store(&lists)
	var wg sync.WaitGroup
	var taken atomic.Int64
	for p := range uint32(processors) {
		wg.Go(func() {
			var hand []Item
			for i := range rounds {
				if i%3 > 0 && len(hand) > 0 {
					for _, x := range hand {
						x.Slice(64, 64)[0] = 0 // the race detector sees a second owner
					}
					d.give(p, hand)
					hand = nil
					continue
				}
				var batch batch
				n := d.take(p, batch[:1+i%len(batch)])
				taken.Add(int64(n))
				for _, x := range batch[:n] {
					b := x.Slice(64, 64)
					if b[0] != 0 {
						t.Errorf("processor %d has an item that processor %d has", p, b[0]-1)
					}
					b[0] = byte(p + 1)
				}
				if hand = append(hand, batch[:n]...); n == 0 {
					hand = items64(8)
				}
			}
		})
	}
	done := make(chan bool)
	go func() {
		for i := 0; ; i++ {
			select {
			case done <- true:
				return
			default:
			}
			if i%7 == 0 {
				d.clear()
			} else {
				d.age(time.Duration(i), time.Duration(i%3)*10, 1<<10)
			}
			runtime.Gosched()
		}
	}()
	wg.Wait()
	<-done
	kept := 0
	for l := range d.from(0).each {
		n := len(l.items)
		for _, r := range l.retired {
			n += r.items
		}
		if int(l.n.Load()) != n {
			t.Errorf("a list of %d items counts %d", n, l.n.Load())
		}
		kept += n
	}
	if d.len() != kept || d.budget.left.Load() != budget-64*int64(kept) {
		t.Errorf("%d items are kept, and %d counted; %d bytes of the budget are left", kept, d.len(), d.budget.left.Load())
	}
	if n := d.clear(); n != kept || d.len() != 0 || d.budget.left.Load() != budget {
		t.Errorf("%d items were dropped, %d are left; %d bytes of the budget", n, d.len(), d.budget.left.Load())
	}
	if taken.Load() == 0 {
		t.Error("nothing was ever found")
	}
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

// A depot does what a list does, whatever happens in whatever order.
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
				d.add(xs)
				for _, x := range xs[max(0, len(xs)-(most-len(model))):] {
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
		}
	})
}
