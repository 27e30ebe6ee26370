package check

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// table maps an address, not only that of a first byte, to the record of the
// slice or object that it lies in. Memory is divided into regions; each has the
// records of all that reaches into it, sorted by address. What is tracked at the
// same time does not overlap.
//
// Tests explore the interleavings of edited copies of this file, memory.go and
// outstanding.go: table_interleave_test.go.
var table struct {
	shards [64]shard

	// entries is the number of records in all regions. A record that is in several
	// counts in each.
	entries atomic.Int64
}

const regionBits = 18

type region struct {
	records []*record // by base
}

// A shard has some of the regions, and guards the records that begin there.
type shard struct {
	sync.Mutex
	regions map[uintptr]*region
}

func shardOf(base uintptr) *shard {
	return &table.shards[(base>>regionBits)%uintptr(len(table.shards))]
}

// search returns the index at which a record with the given base is, or belongs.
func (r *region) search(base uintptr) (i int, found bool) {
	return slices.BinarySearchFunc(r.records, base, func(x *record, base uintptr) int { return cmp.Compare(x.base, base) })
}

// at returns the record with the given base. The caller holds s.
func (s *shard) at(base uintptr) *record {
	if r := s.regions[base>>regionBits]; r != nil {
		if i, ok := r.search(base); ok {
			return r.records[i]
		}
	}
	return nil
}

// find returns the record that begins at base, nil if there is none or it is past, and
// its shard, locked.
func find(base uintptr, now *state) (*shard, *record) {
	s := shardOf(base)
	s.Lock()
	if r := s.at(base); r != nil && !r.isPast(now) {
		return s, r
	}
	return s, nil
}

// around returns the record of what p lies in, or nil.
func around(p uintptr) *record {
	s := shardOf(p)
	s.Lock()
	defer s.Unlock()
	r := s.regions[p>>regionBits]
	if r == nil {
		return nil
	}
	i, ok := r.search(p)
	if !ok {
		i--
	}
	if i < 0 || p-r.records[i].base >= uintptr(r.records[i].extent) {
		return nil
	}
	return r.records[i]
}

// eachRegion calls f for each region that the bytes from base reach into, with its
// number and its shard, locked.
func eachRegion(base uintptr, size int, f func(*shard, uintptr)) {
	for n := base >> regionBits; n <= (base+uintptr(size)-1)>>regionBits; n++ {
		s := shardOf(n << regionBits)
		s.Lock()
		f(s, n)
		s.Unlock()
	}
}

// insert adds x. It removes and returns the records that x overlaps: their memory was
// collected, and their cleanups have not run yet. The caller holds scopes, and no shard.
func insert(x *record) (past []*record) {
	eachRegion(x.base, x.extent, func(s *shard, n uintptr) {
		r := s.regions[n]
		if r == nil {
			if s.regions == nil {
				s.regions = make(map[uintptr]*region)
			}
			r = new(region)
			s.regions[n] = r
		}
		// x overlaps records[from:to]: of those that begin before x, only the last can
		// reach into it, and what begins behind x cannot.
		from, _ := r.search(x.base)
		if from > 0 && x.base-r.records[from-1].base < uintptr(r.records[from-1].extent) {
			from--
		}
		to, _ := r.search(x.base + uintptr(x.extent))
		past = append(past, r.records[from:to]...)
		table.entries.Add(int64(1 - (to - from)))
		// x takes the place of the first of them; if there is none, one is made.
		if from == to {
			r.records = append(r.records, nil)
			copy(r.records[from+1:], r.records[from:])
			to++
		}
		r.records[from] = x
		r.records = slices.Delete(r.records, from+1, to)
	})
	return past
}

// remove removes x and reports whether it was there. The caller holds no shard.
func remove(x *record) (was bool) {
	eachRegion(x.base, x.extent, func(s *shard, n uintptr) {
		r := s.regions[n]
		if r == nil {
			return
		}
		if i, ok := r.search(x.base); ok && r.records[i] == x {
			r.records = slices.Delete(r.records, i, i+1)
			table.entries.Add(-1)
			was = true
		}
		if len(r.records) == 0 {
			delete(s.regions, n)
		}
	})
	return was
}

// allRecords calls f for every record, with its shard locked.
func allRecords(f func(*record)) {
	for i := range table.shards {
		s := &table.shards[i]
		s.Lock()
		for n, r := range s.regions {
			for _, x := range r.records {
				if x.base>>regionBits == n {
					f(x)
				}
			}
		}
		s.Unlock()
	}
}

// dropRecords empties the table. The caller holds scopes.
func dropRecords() {
	for i := range table.shards {
		s := &table.shards[i]
		s.Lock()
		for _, r := range s.regions {
			table.entries.Add(-int64(len(r.records)))
		}
		s.regions = nil
		s.Unlock()
	}
}
