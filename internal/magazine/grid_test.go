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
		g := Grid{Log2: log2}
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

// A grid with an exact class differs from the one without in its capacity, and in the sizes
// for which that has no room: those have the next class.
func TestExactGrid(t *testing.T) {
	for log2 := range uint32(3) {
		full := Grid{Log2: log2}
		if full.WithExact(4096) != full || full.WithExact(1<<LargestLog2-1) != full {
			t.Errorf("%d steps: a capacity of a class, or one of the last, changes the grid", 1<<log2)
		}
		for _, exact := range []int{3, 200, 257, 1000, 5000, 65535, 65537, 100_000} {
			g := full.WithExact(exact)
			k := full.ClassOf(exact)
			if g.Plain() || g.Last() != full.Last() {
				t.Errorf("%d steps, %d: %+v is plain, or ends with class %d", 1<<log2, exact, g, g.Last())
			}
			for i := 1; i <= g.Last(); i++ {
				if want := full.Capacity(i); i != k && g.Capacity(i) != want || i == k && g.Capacity(i) != exact {
					t.Errorf("%d steps, %d: class %d has %d bytes, want %d", 1<<log2, exact, i, g.Capacity(i), want)
				}
			}
			for size := range 1 << 18 {
				i := g.ClassOf(size)
				if g.Capacity(i) < size || i > 0 && g.Capacity(i-1) >= max(size, 1) || int(g.ClassWith(uint32(max(size, 1)-1))) != i {
					t.Fatalf("%d steps, %d: size %d has class %d", 1<<log2, exact, size, i)
				}
				if i = g.Floor(size); size > 1 && (g.Capacity(i) > size || g.Capacity(i+1) <= size) {
					t.Fatalf("%d steps, %d: capacity %d goes to class %d", 1<<log2, exact, size, i)
				}
				if size <= exact && g.StepWith(uint32(max(size, 1)-1)) != uint32(g.ClassOf(size)) {
					t.Fatalf("%d steps, %d: StepWith says %d of %d", 1<<log2, exact, g.StepWith(uint32(max(size, 1)-1)), size)
				}
			}
		}
	}
}
