//go:build !octet_purego

package buffer

import (
	"math/bits"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestInterleavings runs TestInterleaved, which explores every order of the steps of
// a Buffer's owners. For that this package is built with a copy of refs.go that
// takes its atomic operations from package interleave, and is otherwise the same. To
// show that it finds faults, it must find those of mutants of refs.go (flag
// -mutants).
func TestInterleavings(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("Store is atomic on this processor, and tested on others")
	}
	testenv.Exploration{
		Test:  "TestInterleaved",
		Files: []string{"refs.go"},
		Steps: []testenv.Edit{
			{"\t\"sync/atomic\"\n", "\tatomic \"github.com/octet-go/octet/internal/interleave\"\n"},
			{"rt.Store(&r.n, ", "r.n.Store("},
		},
		Finds: "beside",
		Mutants: map[string]testenv.Edit{
			"the last of two ends": {
				"last() bool { return r.n.Load() == 0 }",
				"last() bool { return r.n.Load() <= 1 }",
			},
			"release takes away in two steps": {
				"			if r.n.CompareAndSwap(n, n-1) {\n",
				"			if r.n.Store(n - 1); true {\n",
			},
			"release asks late whether there was a reference": {
				"				return false, false\n",
				"				return false, r.buried()\n",
			},
			"release leaves the last reference": {
				"		case n != s:\n",
				"		case n != s+1:\n",
			},
			"add is two steps": {
				"return value(r.n.Add(delta))",
				"n := r.n.Load() + delta\n	r.n.Store(n)\n	return value(n)",
			},
			"acquire adds": {
				"rt.Store(&r.n, 0)",
				"r.n.Add(-pooled)\n	r.n.Add(1)",
			},
			"a tracked Buffer is pooled": {
				"		return buried\n",
				"		return pooled\n",
			},
		},
	}.Run(t)
}
