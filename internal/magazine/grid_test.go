package magazine

import (
	"math/bits"
	"strconv"
	"testing"
)

// The class of a size is the smallest that has room for it, a capacity's the largest
// that does not exceed it, and no class is more than a step larger than needed.
func TestGrid(t *testing.T) {
	for log2 := range uint32(3) {
		g := Grid{log2}
		for k := 1; k <= g.Last(); k++ {
			c, before := g.Capacity(k), g.Capacity(k-1)
			if c <= before || c > 256 && (c%64 != 0 || c-before != 1<<(bits.Len(uint(c-1))-1)>>log2) || c <= 256 && c != 1<<k {
				t.Fatalf("%d steps: class %d has %d bytes, and the one before %d", 1<<log2, k, c, before)
			}
			for _, size := range []int{before + 1, before + 2, c - 1, c} {
				if size > before && size <= c && (g.ClassOf(size) != k || g.ClassWith(uint32(size-1)) != uint32(k)) {
					t.Errorf("%d steps: size %d has class %d, want %d", 1<<log2, size, g.ClassOf(size), k)
				}
			}
			for _, n := range []int{c, c + 1, g.Capacity(min(k+1, g.Last())) - 1} {
				if n >= c && n <= 1<<LargestLog2 && g.Floor(n) != k {
					t.Errorf("%d steps: capacity %d goes to class %d, want %d", 1<<log2, n, g.Floor(n), k)
				}
			}
			if c > 256 && float64(c) > float64(before+1)*(1+1/float64(int(1)<<log2)) {
				t.Errorf("%d steps: %d bytes get %d", 1<<log2, before+1, c)
			}
		}
		if n := g.Last() + 1; n > SteppedClasses || log2 == 0 && n > PlainClasses || g.Capacity(g.Last()) != 1<<LargestLog2 {
			t.Errorf("%d steps: %d classes, up to %d bytes", 1<<log2, n, g.Capacity(g.Last()))
		}
		for size := range 1 << 20 {
			if k := g.ClassOf(size); g.Capacity(k) < size || k > 0 && g.Capacity(k-1) >= max(size, 1) {
				t.Fatalf("%d steps: size %d has class %d", 1<<log2, size, k)
			}
		}
	}
	if want := 30 + (strconv.IntSize-32)/32; LargestLog2 != want {
		t.Errorf("the last class is %d, want %d", LargestLog2, want)
	}
}
