package check

import (
	"math/bits"
	"testing"
)

// classes are the capacities that classes of pools may have, from 2 bytes on.
func classes(yield func(int) bool) {
	for n := 2; n <= 256; n *= 2 {
		if !yield(n) {
			return
		}
	}
	for n := 320; n <= 1<<16; n += 64 {
		if !yield(n) {
			return
		}
	}
	for k := 17; k <= 30+bits.UintSize/64; k++ {
		if !yield(1<<k-64) || !yield(1<<k) {
			return
		}
	}
}

// TestSampledCapacity sees that a sampled slice has a capacity that is no class's,
// from which its own follows, and that lies between that and the next.
func TestSampledCapacity(t *testing.T) {
	last, lastSampled := 0, 0
	for class := range classes {
		n := SampledCapacity(class)
		if isClass(n) || !isClass(class) {
			t.Errorf("class %d, sampled %d: it is not told which of the two is a class's", class, n)
		}
		if got := ClassCapacity(n); got != class {
			t.Errorf("ClassCapacity(%d) = %d, want %d", n, got, class)
		}
		if got := ClassCapacity(class); got != class {
			t.Errorf("ClassCapacity(%d) = %d, want the same", class, got)
		}
		if class <= last || class <= lastSampled || n <= class {
			t.Errorf("classes %d and %d, sampled %d and %d: not in this order one after the other", last, class, lastSampled, n)
		}
		last, lastSampled = class, n
	}
}

// TestClassCapacity asks for every small capacity: only that of a sampled slice is
// another's.
func TestClassCapacity(t *testing.T) {
	want := make(map[int]int)
	for class := range classes {
		want[SampledCapacity(class)] = class
	}
	for n := range 1 << 16 {
		w, sampled := want[n]
		if !sampled {
			w = n
		}
		if got := ClassCapacity(n); got != w {
			t.Errorf("ClassCapacity(%d) = %d, want %d", n, got, w)
		}
	}
}
