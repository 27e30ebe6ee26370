package check

import (
	"math/rand/v2"
	"testing"
)

// TestTable compares the table with a list that is searched from end to end.
func TestTable(t *testing.T) {
	const space = 8 << regionBits
	const origin = 64 << regionBits
	r := rand.New(rand.NewPCG(1, 2))
	before := table.entries.Load()
	var model []*record
	overlaps := func(a, b *record) bool {
		return a.base < b.base+uintptr(b.extent) && b.base < a.base+uintptr(a.extent)
	}
	for range 20_000 {
		switch r.IntN(3) {
		case 0: // a new slice takes the place of those that were there
			size := 1 + r.IntN(1<<r.IntN(regionBits+2))
			x := &record{base: origin + uintptr(r.IntN(space-size)), extent: size}
			insert(x)
			var rest []*record
			for _, y := range model {
				if !overlaps(x, y) {
					rest = append(rest, y)
				} else {
					remove(y) // as its cleanup will
				}
			}
			model = append(rest, x)
		case 1:
			if len(model) > 0 {
				i := r.IntN(len(model))
				remove(model[i])
				model = append(model[:i], model[i+1:]...)
			}
		case 2:
			p := origin + uintptr(r.IntN(space))
			var want *record
			for _, y := range model {
				if p-y.base < uintptr(y.extent) {
					want = y
				}
			}
			if got := around(p); got != want {
				t.Fatalf("around(%#x) = %+v, want %+v", p, got, want)
			}
			s := shardOf(p)
			s.Lock()
			exact := s.at(p)
			s.Unlock()
			if want != nil && want.base != p {
				want = nil
			}
			if exact != want {
				t.Fatalf("at(%#x) = %+v, want %+v", p, exact, want)
			}
		}
	}
	n := 0
	allRecords(func(*record) { n++ })
	if n != len(model) {
		t.Errorf("the table has %d records, want %d", n, len(model))
	}
	for _, y := range model {
		remove(y)
	}
	if n := table.entries.Load(); n != before {
		t.Errorf("%d entries are counted in an empty table", n-before)
	}
	for i := range table.shards {
		if len(table.shards[i].regions) != 0 {
			t.Errorf("shard %d keeps regions without records", i)
		}
	}
}
