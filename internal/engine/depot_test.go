package engine

import (
	"slices"
	"testing"
)

// A depot hands out the newest items first, drops the oldest that were not used,
// keeps within its budget, and refers to nothing that it gave away.
func TestDepot(t *testing.T) {
	var b budget
	b.init(5 * 64)
	var d depot
	d.init(64, &b)
	var all []item
	for range 7 {
		all = append(all, itemOf(make([]byte, 64)))
	}
	holds := func(when string, want ...item) {
		t.Helper()
		if !slices.EqualFunc(d.items, want, sameItem) {
			t.Fatalf("%s the depot has %d items, want %d, or others", when, len(d.items), len(want))
		}
		for _, x := range d.items[len(d.items):cap(d.items)] {
			if x.some() {
				t.Errorf("%s the depot refers to what it gave away", when)
			}
		}
		if left := b.left.Load(); left != int64(5-len(want))*64 {
			t.Errorf("%s there is room for %d bytes, want %d", when, left, (5-len(want))*64)
		}
	}
	if !d.give(all) || d.overBudget != 2 {
		t.Errorf("%d items of 7 were refused, want 2", d.overBudget)
	}
	holds("after the first items", all[2:]...)
	if d.give(all[:1]) || d.overBudget != 3 {
		t.Error("an item over budget was kept, or not counted")
	}
	if kept, dropped := d.age(); kept != 5 || dropped != 0 {
		t.Errorf("%d kept, %d dropped", kept, dropped)
	}
	holds("after the first collection", all[2:]...)
	var batch batch
	if n := d.take(batch[:2]); n != 2 || !sameItem(batch[0], all[5]) || !sameItem(batch[1], all[6]) || d.taken != 1 {
		t.Errorf("take: %d items, or not the newest; %d times", n, d.taken)
	}
	holds("after take", all[2:5]...)
	d.give(batch[:1])
	holds("after one came back", all[2], all[3], all[4], all[5])
	if kept, dropped := d.age(); kept != 1 || dropped != 3 {
		t.Errorf("%d kept, %d dropped", kept, dropped)
	}
	holds("after the second collection", all[5])
	if kept, dropped := d.age(); kept != 0 || dropped != 1 {
		t.Errorf("%d kept, %d dropped", kept, dropped)
	}
	holds("after the third collection")
	if n := d.take(batch[:]); n != 0 || d.taken != 1 {
		t.Errorf("%d items came from nowhere", n)
	}
	d.give(all[:3])
	d.age()
	if n := d.press(3); n != 3 {
		t.Errorf("trim dropped %d items, want 3", n)
	}
	d.give(all[:1])
	d.age()
	holds("after trim and one more", all[0])
	d.give(all[1:4])
	if n := d.press(2); n != 2 {
		t.Errorf("press dropped %d items, want 2", n)
	}
	holds("after press", all[2], all[3])
	if n := d.press(100); n != 2 || d.press(1) != 0 || d.press(-1) != 0 {
		t.Errorf("press dropped %d items, want 2", n)
	}
	holds("after press of all")
}

func sameItem(a, b item) bool { return &a.slice(1, 1)[0] == &b.slice(1, 1)[0] }

// A depot keeps no more than its bound, and the bound follows use.
func TestBound(t *testing.T) {
	var b bound
	b.spare = 10
	for i, step := range []struct {
		do   func()
		most int
	}{
		{func() { b.look(0) }, 10},
		{func() { b.miss(); b.miss() }, 12},
		{func() { b.drop(5) }, 17}, // what is kept, and the misses since the drop before
		{func() { b.miss() }, 18},
		{func() { b.drop(4) }, 15},
		{func() { b.drop(4) }, 14},
		{func() { b.look(7) }, 21}, // in use, which is more than the misses
		{func() { b.look(0) }, 21},
		{func() { b.miss() }, 21},
		{func() { b.look(0) }, 15},
		{func() { b.drop(0) }, 11},
		{func() { b.drop(0) }, 10},
	} {
		if step.do(); b.most != step.most {
			t.Errorf("step %d: at most %d, want %d", i, b.most, step.most)
		}
	}
	for capacity, want := range map[int]int{0: 128, 2: 128, 8 << 10: 128, 16 << 10: 64, 256 << 10: 4, 1 << 20: 1, 1 << 30: 1} {
		if n := spare(capacity); n != want {
			t.Errorf("%d spare items of %d bytes, want %d", n, capacity, want)
		}
	}
}
