package check

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/finding"
)

// The table finds the record of the slice that an address lies in, which need
// not be the slice's first byte. Memory is cut in regions; a region has the
// records of all slices that reach into it, sorted by address. Slices that are
// tracked at the same time do not overlap.
const regionBits = 18

type region struct {
	records []*record // by base
}

// A shard is a part of the regions, and guards the records whose base is there.
type shard struct {
	sync.Mutex
	regions map[uintptr]*region
}

var shards [64]shard

// entries is how many records all regions have; one that reaches into several
// counts in each.
var entries atomic.Int64

func shardOf(base uintptr) *shard { return &shards[(base>>regionBits)%uintptr(len(shards))] }

// search returns where a record with the given base is or belongs.
func (r *region) search(base uintptr) (i int, found bool) {
	return slices.BinarySearchFunc(r.records, base, func(x *record, base uintptr) int {
		switch {
		case x.base < base:
			return -1
		case x.base > base:
			return 1
		}
		return 0
	})
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

// around returns a record of a slice that p lies in.
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

// eachRegion calls f with the numbers of the regions that a slice reaches into,
// and their shards, locked.
func eachRegion(base uintptr, size int, f func(*shard, uintptr)) {
	for n := base >> regionBits; n <= (base+uintptr(size)-1)>>regionBits; n++ {
		s := shardOf(n << regionBits)
		s.Lock()
		f(s, n)
		s.Unlock()
	}
}

// insert adds x, and takes out those that it overlaps, which it returns: their
// memory was collected, and their cleanups are still to run. No shard is locked.
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
		from, _ := r.search(x.base)
		if from > 0 && x.base-r.records[from-1].base < uintptr(r.records[from-1].extent) {
			from--
		}
		to, _ := r.search(x.base + uintptr(x.extent))
		past = append(past, r.records[from:to]...)
		r.records = slices.Replace(r.records, from, to, x)
		entries.Add(int64(1 - (to - from)))
	})
	return past
}

// remove takes x out and reports whether it was there. No shard is locked.
func remove(x *record) (was bool) {
	eachRegion(x.base, x.extent, func(s *shard, n uintptr) {
		r := s.regions[n]
		if r == nil {
			return
		}
		if i, ok := r.search(x.base); ok && r.records[i] == x {
			r.records = slices.Delete(r.records, i, i+1)
			entries.Add(-1)
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
	for i := range shards {
		s := &shards[i]
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

// forget drops all records, and returns what was found wrong with what was held
// back.
func forget() (found []*finding.Report) {
	found = drain()
	for i := range shards {
		s := &shards[i]
		s.Lock()
		for _, r := range s.regions {
			entries.Add(-int64(len(r.records)))
			for _, x := range r.records {
				inProfile.Remove(x)
			}
		}
		s.regions = nil
		s.Unlock()
	}
	return found
}
