package engine

import (
	"math"
	"math/bits"
	"strconv"
	"testing"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct{ min, max, wantMin, wantMax, wantFirst, wantLast int }{
		{2, 4 << 20, 2, 4 << 20, 1, 22},
		{100, 10000, 100, 10000, 7, 14},
		{0, 0, 2, 2, 1, 1},
		{-1, math.MinInt, 2, 2, 1, 1},
		{3, 3, 3, 3, 2, 2},
		{4096, 512, 512, 512, 9, 9},
		{math.MaxInt, math.MaxInt, math.MaxInt32, math.MaxInt32, largestLog2, largestLog2},
		{1 << 30, 1<<30 + 1, 1 << 30, 1<<30 + 1, 30, largestLog2},
	} {
		s := newSizes(c.min, c.max, grid{})
		if s.min != c.wantMin || s.max != c.wantMax || s.minClass != c.wantFirst || s.maxClass != c.wantLast {
			t.Errorf("newSizes(%d, %d) = %+v, want %+v", c.min, c.max, *s, c)
		}
		if s.fit > s.max || s.fit > 1<<s.maxClass {
			t.Errorf("newSizes(%d, %d): sizes up to %d shall fit class %d", c.min, c.max, s.fit, s.maxClass)
		}
	}
	if want := 30 + (strconv.IntSize-32)/32; largestLog2 != want {
		t.Errorf("the last class is %d, want %d", largestLog2, want)
	}
}

// The class of a size is the smallest that has room for it, a capacity's the largest
// that does not exceed it, and no class is more than a step larger than needed.
func TestClassOf(t *testing.T) {
	for log2 := range uint32(3) {
		g := grid{log2}
		for k := 1; k <= g.last(); k++ {
			c, before := g.capacity(k), g.capacity(k-1)
			if c <= before || c > 256 && (c%64 != 0 || c-before != 1<<(bits.Len(uint(c-1))-1)>>log2) || c <= 256 && c != 1<<k {
				t.Fatalf("%d steps: class %d has %d bytes, and the one before %d", 1<<log2, k, c, before)
			}
			for _, size := range []int{before + 1, before + 2, c - 1, c} {
				if size > before && size <= c && g.classOf(size) != k {
					t.Errorf("%d steps: size %d has class %d, want %d", 1<<log2, size, g.classOf(size), k)
				}
			}
			for _, n := range []int{c, c + 1, g.capacity(min(k+1, g.last())) - 1} {
				if n >= c && n <= 1<<largestLog2 && g.floor(n) != k {
					t.Errorf("%d steps: capacity %d goes to class %d, want %d", 1<<log2, n, g.floor(n), k)
				}
			}
			if c > 256 && float64(c) > float64(before+1)*(1+1/float64(int(1)<<log2)) {
				t.Errorf("%d steps: %d bytes get %d", 1<<log2, before+1, c)
			}
		}
		if n := g.last() + 1; n > steppedClasses || log2 == 0 && n > plainClasses || g.capacity(g.last()) != 1<<largestLog2 {
			t.Errorf("%d steps: %d classes, up to %d bytes", 1<<log2, n, g.capacity(g.last()))
		}
		for _, lo := range []int{2, 100, 300, 5000} {
			s := newSizes(lo, 1<<20, g)
			for size := 0; size <= 1<<20; size++ {
				if k := s.classOf(size); g.capacity(k) < max(size, lo) || k > s.minClass && g.capacity(k-1) >= size {
					t.Fatalf("%d steps from %d: size %d has class %d", 1<<log2, lo, size, k)
				}
			}
		}
	}
}
