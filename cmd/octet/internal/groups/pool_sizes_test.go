package groups

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// make allocates on the heap, with every release of the compiler. Pools do not allocate.
func TestWhereMakePuts(t *testing.T) {
	if testenv.Race() {
		return // pools drop items at random there
	}
	const each = 10_000
	for _, mode := range []string{"serial", "parallel"} {
		for _, c := range heapRow(mode).Contestants {
			want := 0.0
			if c.Name == "make" {
				want = 1
			}
			do := c.Start()
			do(each)
			if got := testing.AllocsPerRun(3, func() { do(each) }) / each; got < want || got > want+0.01 {
				t.Errorf("mode %s: %s allocates %v times, want %v", mode, c.Name, got, want)
			}
		}
	}
}

// A sample contains several collections, so that their cost is included
// wherever it begins and ends.
func TestHeapRowCollects(t *testing.T) {
	r := heapRow("serial")
	if n := r.Least * smallSize / liveBytes; n < 4 {
		t.Errorf("%s: %d operations fill the heap %d times", r.Name, r.Least, n)
	}
}
