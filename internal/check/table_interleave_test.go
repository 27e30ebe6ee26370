//go:build !octet_purego

package check

import (
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestTableInterleavings runs TestTableInterleaved, which explores every order of the
// steps of a user, a cleanup and a change of the mode that work on the table. For that
// this package is built with copies of its files in which the locks of the table and of
// the scopes are steps, and there are three shards; otherwise they are the same. To show
// that it finds faults, it must find those of mutants of these files (flag -mutants).
func TestTableInterleavings(t *testing.T) {
	testenv.Exploration{
		Test:  "TestTableInterleaved",
		Files: []string{"table.go", "memory.go", "outstanding.go"},
		Steps: []testenv.Edit{
			{"shards [64]shard", "shards [3]shard"},
			{"	\"sync\"\n", "	sync \"github.com/octet-go/octet/internal/interleave\"\n"},
		},
		Finds: "in the world ",
		Mutants: map[string]testenv.Edit{
			"records are added while all are dropped": {
				"	scopes.Lock() // or a record that is being added could stay in one of its regions\n	defer scopes.Unlock()\n",
				"",
			},
			"a cleanup does not ask whether its record is there": {
				"	if remove(r) { //",
				"	if remove(r); true { //",
			},
			"what is lost twice is reported twice": {
				"	r.stage = gone\n	s.Unlock()\n	if f != nil && takeLost",
				"	s.Unlock()\n	if f != nil && takeLost",
			},
		},
	}.Run(t)
}
