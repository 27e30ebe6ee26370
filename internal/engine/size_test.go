package engine

import (
	"math"
	"testing"

	"github.com/octet-go/octet/internal/magazine"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct{ min, max, wantMin, wantMax, wantFirst, wantLast int }{
		{2, 4 << 20, 2, 4 << 20, 1, 22},
		{100, 10000, 100, 10000, 7, 14},
		{0, 0, 2, 2, 1, 1},
		{-1, math.MinInt, 2, 2, 1, 1},
		{3, 3, 3, 3, 2, 2},
		{4096, 512, 512, 512, 9, 9},
		{math.MaxInt, math.MaxInt, math.MaxInt32, math.MaxInt32, magazine.LargestLog2, magazine.LargestLog2},
		{1 << 30, 1<<30 + 1, 1 << 30, 1<<30 + 1, 30, magazine.LargestLog2},
	} {
		s := newSizes(c.min, c.max, grid{})
		if s.min != c.wantMin || s.max != c.wantMax || s.minClass != c.wantFirst || s.maxClass != c.wantLast {
			t.Errorf("newSizes(%d, %d) = %+v, want %+v", c.min, c.max, *s, c)
		}
		if s.fit > s.max || s.fit > 1<<s.maxClass {
			t.Errorf("newSizes(%d, %d): sizes up to %d shall fit class %d", c.min, c.max, s.fit, s.maxClass)
		}
	}
}

// Each size is served by the smallest class that has room for it, from the smallest that the
// pool has.
func TestClassOf(t *testing.T) {
	for log2 := range uint32(3) {
		g := grid{Log2: log2}
		for _, lo := range []int{2, 100, 300, 5000} {
			s := newSizes(lo, 1<<20, g)
			for size := 0; size <= 1<<20; size++ {
				if k := s.classOf(size); g.Capacity(k) < max(size, lo) || k > s.minClass && g.Capacity(k-1) >= size {
					t.Fatalf("%d steps from %d: size %d has class %d", 1<<log2, lo, size, k)
				}
			}
		}
	}
}
