//go:build !octet_purego

package engine

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestFreeInterleavings runs TestFreeInterleaved, which explores the orders of the steps of who
// counts slices, makes them, and ends the lending. For that this package is built with a copy of
// free.go whose atomic variables are steps. To show that it finds faults, it must find those of
// mutants of that file (flag -mutants).
func TestFreeInterleavings(t *testing.T) {
	testenv.Exploration{
		Test:  "TestFreeInterleaved",
		Files: []string{"free.go"},
		Steps: []testenv.Edit{
			{"	\"sync/atomic\"\n", "\n	atomic \"github.com/octet-go/octet/internal/interleave\"\n"},
		},
		Finds: "in the world ",
		Mutants: map[string]testenv.Edit{
			"what is made while slices are counted does not count": {
				"min(n, uncounted) - uncounted + int64(state); left > 0",
				"n; left > 0 && state > 0",
			},
			"who has counted overlooks what was made since": {
				"		if f.state.CompareAndSwap(state, next) {\n			return next > 0\n		}\n",
				"		f.state.Store(next)\n		return next > 0\n",
			},
			"two that are made at once count once": {
				"		if f.state.CompareAndSwap(state, next) {\n			return\n		}\n",
				"		f.state.Store(next)\n		return\n",
			},
			"an end while slices are counted is no end": {
				"f.state.Store(0)",
				"if f.state.Load()>>32 > 0 {\n	f.state.Store(0)\n}",
			},
		},
	}.Run(t)
}
