package groups

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// counting is a pool that counts what is taken and what is released, and checks
// that only what was just taken is released.
type counting struct {
	t               *testing.T
	taken, released atomic.Int64
}

func (c *counting) pairs(int) {}

func (c *counting) get(dst []int64) {
	for i := range dst {
		dst[i] = c.taken.Add(1)
	}
}

func (c *counting) put(src []int64) {
	for i, v := range src {
		if v == 0 {
			c.t.Error("released what was not taken")
		}
		c.released.Add(1)
		src[i] = 0
	}
}

// A mode does exactly n operations.
func TestModes(t *testing.T) {
	for _, tc := range []struct {
		name string
		mode func(pool[int64]) func(int)
		each int // slices an operation
	}{
		{"burst", func(p pool[int64]) func(int) { return burst(p, burstSize) }, burstSize},
		{"handover", func(p pool[int64]) func(int) { return handover(p, 1) }, 1},
		{"handover, one by one", func(p pool[int64]) func(int) { return handover(p, 64<<20) }, 1},
	} {
		c := &counting{t: t}
		do := tc.mode(c)
		want := c.taken.Load() // what fills the pool
		for _, n := range []int{0, 1, 2, 63, 64, 65, 1, 1000} {
			do(n)
			want += int64(n * tc.each)
			if c.taken.Load() != want || c.released.Load() != want {
				t.Fatalf("%s: after n = %d, %d taken, %d released, want %d of each", tc.name, n, c.taken.Load(), c.released.Load(), want)
			}
		}
	}
}

func TestBatchLen(t *testing.T) {
	for _, tc := range []struct{ size, want int }{
		{1, 64}, {256 << 10, 64}, {1 << 20, 16}, {16 << 20, 1}, {1 << 30, 1},
	} {
		if got := batchLen(tc.size); got != tc.want {
			t.Errorf("batchLen(%d) = %d, want %d", tc.size, got, tc.want)
		}
	}
}

// Octet and its closest rivals do not allocate in steady state, as the table
// claims.
func TestPairsDoNotAllocate(t *testing.T) {
	if testenv.Race() {
		return // pools drop items at random there
	}
	for _, size := range poolSizes {
		for _, c := range pools("serial", size) {
			do := c.Start()
			do(100)
			if n := testing.AllocsPerRun(100, func() { do(100) }); n >= 1 {
				t.Errorf("%s, %d bytes: %v allocations in 100 pairs", c.Name, size, n)
			}
		}
	}
}

// New and Release are inlined in all rows, as they are where a program calls them: a call
// more would cost octet more than its rivals.
func TestPairsAreInlined(t *testing.T) {
	if testenv.Race() {
		return // New and Release do more there
	}
	calls := 0
	for in, callees := range testenv.Calls(t, `internal/groups\.`) {
		for _, callee := range callees {
			if strings.Contains(callee, "engine.(*Pool).New") {
				calls++
			}
			if strings.Contains(callee, "bytespool.(*Pool).New") || strings.Contains(callee, "bytespool.(*Pool).Release") {
				t.Errorf("%s calls %s, which is not inlined", in, callee)
			}
		}
	}
	if calls < 4 {
		t.Errorf("%d calls of the engine's New", calls)
	}
}
