package magazine

import "testing"

// A depot keeps no more than were in use at once since the last collection but one, and its
// spare.
func TestBound(t *testing.T) {
	b := bound{spare: 10}
	put := func(n int) { raise(&b.high, b.n.Add(int64(n))) }
	miss := func(n int64) { b.missed.Add(n) }
	for i, c := range []struct {
		do   func()
		most int64
	}{
		{func() {}, 10},
		{func() { miss(2) }, 12},
		{func() { put(7); b.step(0) }, 12}, // what was missed before
		{func() { b.took(3) }, 13},
		{func() { miss(1) }, 14},
		{func() { put(3); b.took(3) }, 14}, // those that were in use before
		{func() { put(2); b.step(0) }, 14},
		{func() { b.step(0) }, 10},
		{func() { b.gone(6) }, 10}, // nobody took these
		{func() { miss(1) }, 11},
		{func() { b.step(7) }, 17},
		{func() { miss(9) }, 26}, // besides those that are in use
		{func() { put(16); b.step(0) }, 26},
		{func() { b.took(5) }, 26},
		{func() { b.step(0) }, 15},
		{func() { b.step(0) }, 10},
	} {
		if c.do(); b.most() != c.most {
			t.Errorf("step %d: at most %d, want %d", i, b.most(), c.most)
		}
	}
	b = bound{spare: 10}
	if n := b.admit(7) + b.admit(7); n != 10 || b.admit(1) != 0 || b.n.Load() != 10 {
		t.Errorf("%d items of 15 were admitted, and %d count; want 10", n, b.n.Load())
	}
}

func TestSpare(t *testing.T) {
	for capacity, want := range map[int]int{0: 128, 2: 128, 32 << 10: 128, 64 << 10: 64, 1 << 20: 4, 4 << 20: 1, 1 << 30: 1} {
		if n := spare(capacity, spareBytes); n != want {
			t.Errorf("%d spare items of %d bytes, want %d", n, capacity, want)
		}
	}
}
