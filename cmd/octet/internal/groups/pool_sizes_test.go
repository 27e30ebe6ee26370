package groups

import (
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/internal/testenv"
)

// make allocates on the heap in one kind of row and on the stack in the other,
// with every release of the compiler. Pools do not allocate.
func TestWhereMakePuts(t *testing.T) {
	if testenv.Race() {
		return // pools drop items at random there
	}
	const each = 10_000
	allocations := func(r contest.Row, name string) float64 {
		for _, c := range r.Contestants {
			if c.Name == name {
				do := c.Start()
				do(each)
				return testing.AllocsPerRun(3, func() { do(each) }) / each
			}
		}
		t.Fatalf("%s: there is no %s", r.Name, name)
		return 0
	}
	for _, r := range []contest.Row{heapRow("serial", smallSize), heapRow("parallel", smallSize), stackRow(smallSize)} {
		want := 1.0
		if r.Aside != "" {
			want = 0
		}
		if got := allocations(r, "make"); got < want || got > want+0.01 {
			t.Errorf("%s: make allocates %v times", r.Name, got)
		}
		for _, name := range []string{"octet", "sync.Pool"} {
			if got := allocations(r, name); got > 0.01 {
				t.Errorf("%s: %s allocates %v times", r.Name, name, got)
			}
		}
	}
}

// A sample contains several collections, so that their cost is included
// wherever it begins and ends.
func TestHeapRowCollects(t *testing.T) {
	r := heapRow("serial", smallSize)
	if n := r.Least * smallSize / liveBytes; n < 4 {
		t.Errorf("%s: %d operations fill the heap %d times", r.Name, r.Least, n)
	}
}
