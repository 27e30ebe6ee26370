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
