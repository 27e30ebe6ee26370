//go:build octet_interleave && !octet_purego

package check

import (
	"fmt"
	"testing"

	"github.com/octet-go/octet/internal/interleave"
	"github.com/octet-go/octet/internal/rt"
)

// A tableWorld is a slice that reaches into two regions, and one before it in the same
// memory, which was collected and whose cleanup has not run yet.
type tableWorld struct {
	b        []byte
	before   *record
	own      *record
	findings uint64 // when it began
}

// newTableWorld returns a world whose table has one record: that of the slice which was in the
// memory of b before, at the given stage.
func newTableWorld(b []byte, stage stage) *tableWorld {
	drain() // what a run left that was abandoned, and so are its locks
	reset(&scopes)
	reset(&table.shards)
	table.entries.Store(0)
	w := &tableWorld{b: b, before: newRecord(b), own: newRecord(b), findings: Findings()}
	w.before.alive = func() bool { return false }
	track(w.before)
	w.before.stage = stage
	return w
}

func reset[T any](x *T) { *x = *new(T) }

// newRecord returns the record of b, which is handed out now.
func newRecord(b []byte) *record {
	r := &record{base: rt.Address(b), extent: len(b), kind: Slice, weight: 1}
	r.begin(load().epoch, stubOwner{}, len(b), nil)
	return r
}

// use gets the slice and releases it.
func (w *tableWorld) use() {
	track(w.own)
	Release(w.b, stubOwner{})
}

// check ends the world: all memory is collected. It returns how many slices were found to
// be lost. That may be only those that were, once.
func (w *tableWorld) check(lost uint64) (found uint64, err error) {
	drain()
	collected(w.before)
	collected(w.own)
	switch found = Findings() - w.findings; {
	case found > lost:
		return found, fmt.Errorf("leaks found: %d, slices lost: %d", found, lost)
	case table.entries.Load() != 0:
		return found, fmt.Errorf("%d entries are left in the table", table.entries.Load())
	}
	return found, nil
}

// TestTableInterleaved explores every order in which a slice is handed out and released,
// the cleanup of the one before it runs, and a change of the mode drops all records.
func TestTableInterleaved(t *testing.T) {
	memory := make([]byte, (len(table.shards)+2)<<regionBits)
	for _, mode := range []Mode{Sample, Full} {
		finds(t, Config{Mode: mode})
		for i := range len(table.shards) { // the second region may belong to the shard before the first one's
			edge := (rt.Address(memory)>>regionBits + 2 + uintptr(i)) << regionBits
			b := memory[edge-32-rt.Address(memory):][:64:64]
			for stage, lost := range map[stage]uint64{gone: 0, inUse: 1} {
				where := fmt.Sprintf("in the world of mode %v, edge %d, stage %d", mode, i, stage)
				var w *tableWorld
				most := uint64(0)
				runs, err := interleave.Explore(func() interleave.Program {
					w = newTableWorld(b, stage)
					return interleave.Program{
						Threads: []func(){w.use, func() { forget() }, func() { collected(w.before) }},
						Check: func() error {
							found, err := w.check(lost)
							most = max(most, found)
							return err
						},
					}
				})
				switch {
				case err != nil:
					t.Errorf("%s: %v", where, err)
				case most != lost:
					t.Errorf("%s: a slice was lost, and no run finds that", where)
				}
				t.Logf("%s: %d runs", where, runs)
			}
		}
	}
}
