package engine

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/internal/sanitize"
)

func TestNewLengthAndCapacity(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, bounds := range [][2]int{{2, 4 << 20}, {2, 10000}, {100, 10000}, {512, 4096}, {7, 7}, {4096, 16}, {-5, 0}} {
			c.MinSize, c.MaxSize = bounds[0], bounds[1]
			p := newPool(c)
			lo, hi := p.Sizes()
			for _, size := range []int{-1, 0, 1, 2, 3, 4, 5, 63, 64, 65, 99, 100, 120, 128, 4096, 4097, 9000, 10000, 10001, 16384, 16385, 1 << 20} {
				for range 3 { // fresh, then reused
					b := p.New(size)
					g := p.grid
					want := max(g.Capacity(g.ClassOf(max(size, 2))), g.Capacity(g.ClassOf(lo)))
					if size > hi {
						want = size
					}
					if b == nil || len(b) != max(size, 0) || cap(b) != want {
						t.Fatalf("bounds %v: New(%d): nil %v, len %d, cap %d; want cap %d", bounds, size, b == nil, len(b), cap(b), want)
					}
					kept := p.Release(b)
					if fits := cap(b) >= g.Capacity(g.ClassOf(lo)) && (cap(b) <= hi || cap(b) == g.Capacity(g.ClassOf(hi))); kept != fits {
						t.Fatalf("bounds %v: Release(cap %d) = %v, want %v", bounds, cap(b), kept, fits)
					}
				}
			}
		}
	})
}

func TestImpossibleSizePanics(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 4 {
		t.Log("an int of 32 bits holds no impossible size")
		return
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		defer func() {
			if s, ok := recover().(string); !ok || !strings.Contains(s, "larger than any slice") {
				t.Errorf("panic with %q", s)
			}
		}()
		size := uint64(1) << 60
		newPool(c).New(int(size))
	})
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := newPool(c)
		bs := make([][]byte, 300)
		f := func() {
			for i := range bs {
				bs[i] = p.New(1 << (i % 20))
			}
			for _, b := range bs {
				p.Release(b)
			}
		}
		quietly(t, func() { // a collection would make stacks victims
			f()
			if sanitize.Enabled { // which allocates
				return
			}
			n := testing.AllocsPerRun(100, f)
			for range 3 { // what follows an earlier collection may allocate meanwhile, in another goroutine
				n = min(n, testing.AllocsPerRun(100, f))
			}
			if n > 0 {
				t.Errorf("%v allocations for %d pairs", n, len(bs))
			}
		})
	})
}

// The fast path of the pool's own engine, and no other, serves a class that has records.
func TestFastPathIsOpen(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, c.Clear = range []Clear{ClearNever, ClearOnGet, ClearOnRelease} {
			p := newPool(c)
			p.Release(p.New(64))
			k := p.class(&p.row, 6)
			if want := c.Clear != ClearOnRelease && !sanitize.Enabled; isOpen(p, k) != want {
				t.Errorf("Clear %d: open: %v, want %v", c.Clear, isOpen(p, k), want)
			}
		}
	})
}

// isOpen reports whether the fast paths serve c, which has records, or in the portable engine,
// which has none, whether they might.
func isOpen(p *Pool, c *class) bool {
	if p.portable {
		return !p.closes(c)
	}
	return c.Record(0) != nil
}
