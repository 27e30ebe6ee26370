package bytespool

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/octet-go/octet/internal/engine"
)

// Stats is a snapshot of a pool's counters since it was made. The counters are
// always on and cost nothing: each processor has its own. They are read one
// after the other, so a snapshot that is taken while the pool is in use may be
// off by the operations of that moment; once these have ended it is exact.
type Stats struct {
	Name string // as given by WithName

	Gets   uint64 // requests that a class served
	Hits   uint64 // Gets that were served from idle slices
	Misses uint64 // Gets that had to allocate
	Puts   uint64 // releases that a class took
	InUse  int64  // Gets less Puts; negative if foreign slices were released

	OutGets  uint64 // requests above the largest size, which are allocated
	OutBytes uint64 // the bytes asked for by OutGets

	TooSmall   uint64 // releases rejected because of a small capacity
	TooLarge   uint64 // releases rejected because of a large capacity
	OverBudget uint64 // slices dropped because the idle budget had no room for them
	OverBound  uint64 // slices dropped because nobody has asked for as many
	Trimmed    uint64 // slices dropped because they were idle

	// IdleBytes is what is kept now, by the capacities of classes. A pool without a
	// budget takes slices from elsewhere that have up to twice as much.
	IdleBytes int64

	Classes []ClassStats // those that were used, smallest first
}

// ClassStats is the part of [Stats] that belongs to one class.
type ClassStats struct {
	Capacity   int // bytes of a slice
	Gets       uint64
	Hits       uint64
	Misses     uint64
	Puts       uint64
	InUse      int64
	OverBudget uint64
	OverBound  uint64
	Trimmed    uint64
	IdleBytes  int64
}

// Stats returns a snapshot of the counters. It takes some microseconds.
func (p *CapacityPools) Stats() Stats {
	e := p.pool.Stats()
	s := Stats{
		Name:     p.pool.Name(),
		OutGets:  e.OutCount,
		OutBytes: e.OutBytes,
		TooSmall: e.TooSmall,
		TooLarge: e.TooLarge,

		Classes: make([]ClassStats, len(e.Classes)),
	}
	for i, c := range e.Classes {
		s.Classes[i] = ClassStats{
			Capacity:   c.Capacity,
			Gets:       c.Gets,
			Hits:       c.Hits(),
			Misses:     c.Misses,
			Puts:       c.Puts,
			InUse:      int64(c.Gets) - int64(c.Puts),
			OverBudget: c.OverBudget,
			OverBound:  c.OverBound,
			Trimmed:    c.Trimmed,
			IdleBytes:  int64(c.Idle) * int64(c.Capacity),
		}
		s.Gets += s.Classes[i].Gets
		s.Hits += s.Classes[i].Hits
		s.Misses += s.Classes[i].Misses
		s.Puts += s.Classes[i].Puts
		s.InUse += s.Classes[i].InUse
		s.OverBudget += s.Classes[i].OverBudget
		s.OverBound += s.Classes[i].OverBound
		s.Trimmed += s.Classes[i].Trimmed
		s.IdleBytes += s.Classes[i].IdleBytes
	}
	return s
}

// A baseline is what the counters said when the RuntimeStats family was switched
// on; nil while it is off.
type baseline struct {
	stats atomic.Pointer[engine.Stats]
}

// SetWithStats switches the RuntimeStats family on or off. It counts from the
// moment it is switched on; switching it on again changes nothing. [Stats] does
// not need it.
func (p *CapacityPools) SetWithStats(on bool) {
	if !on {
		p.since.stats.Store(nil)
		return
	}
	if p.since.stats.Load() == nil {
		s := p.pool.Stats()
		p.since.stats.CompareAndSwap(nil, &s)
	}
}

// GetWithStats reports whether the RuntimeStats family is switched on.
func (p *CapacityPools) GetWithStats() bool { return p.since.stats.Load() != nil }

// RuntimeSummary is what [RuntimeStatsSummary] returns. Bytes that a class served
// count with the capacity of the class, bytes outside with the size asked for.
type RuntimeSummary struct {
	NewBytes    uint64 // allocated for the pools
	OutBytes    uint64 // allocated outside, above the largest size
	OutCount    uint64 // how often that was
	ReusedBytes uint64 // served from idle slices

	TopPools []PoolStat // the classes with the most hits
}

// PoolStat is the rank of one class by hits.
type PoolStat struct {
	Rank      int // from 1
	Capacity  int // bytes of a slice
	ReuseHits uint64
}

// RuntimeStatsSummary adds up the given pools, or the default pools if none are
// given, since statistics were switched on for them, with the topN classes that
// had the most hits: all if topN is 0 or less. Pools that have statistics
// switched off, and nil, count nothing.
func RuntimeStatsSummary(topN int, ps ...*CapacityPools) RuntimeSummary {
	if len(ps) == 0 {
		ps = []*CapacityPools{DefaultCapacityPools}
	}
	var sum RuntimeSummary
	hits := make(map[int]uint64)
	for _, p := range ps {
		if p == nil {
			continue
		}
		if since := p.since.stats.Load(); since != nil {
			sum.add(p.pool.Stats(), since, hits)
		}
	}
	sum.TopPools = rank(hits, topN)
	return sum
}

// add adds what happened from since to now, and the hits by capacity.
func (sum *RuntimeSummary) add(now engine.Stats, since *engine.Stats, hits map[int]uint64) {
	before := make(map[int]engine.ClassStats, len(since.Classes))
	for _, c := range since.Classes {
		before[c.Capacity] = c
	}
	for _, c := range now.Classes {
		b := before[c.Capacity]
		h := less(c.Hits(), b.Hits())
		sum.NewBytes += less(c.Misses, b.Misses) * uint64(c.Capacity)
		sum.ReusedBytes += h * uint64(c.Capacity)
		hits[c.Capacity] += h
	}
	sum.OutBytes += now.OutBytes - since.OutBytes
	sum.OutCount += now.OutCount - since.OutCount
}

// less returns a - b, or 0 if that is negative: two snapshots of a pool in use
// may be off against each other.
func less(a, b uint64) uint64 { return a - min(a, b) }

// rank sorts the capacities by hits, most first, and leaves out those without.
func rank(hits map[int]uint64, topN int) []PoolStat {
	var top []PoolStat
	for capacity, n := range hits {
		if n > 0 {
			top = append(top, PoolStat{Capacity: capacity, ReuseHits: n})
		}
	}
	slices.SortFunc(top, func(a, b PoolStat) int {
		return cmp.Or(cmp.Compare(b.ReuseHits, a.ReuseHits), cmp.Compare(a.Capacity, b.Capacity))
	})
	if topN > 0 && topN < len(top) {
		top = top[:topN]
	}
	for i := range top {
		top[i].Rank = i + 1
	}
	return top
}

// RuntimeStats returns the sums of [RuntimeStatsSummary] under the keys NewBytes,
// OutBytes, OutCount and ReusedBytes, and nil if none of the pools has statistics
// switched on.
func RuntimeStats(ps ...*CapacityPools) map[string]uint64 {
	if len(ps) == 0 {
		ps = []*CapacityPools{DefaultCapacityPools}
	}
	if !slices.ContainsFunc(ps, func(p *CapacityPools) bool { return p != nil && p.GetWithStats() }) {
		return nil
	}
	s := RuntimeStatsSummary(0, ps...)
	return map[string]uint64{
		"NewBytes":    s.NewBytes,
		"OutBytes":    s.OutBytes,
		"OutCount":    s.OutCount,
		"ReusedBytes": s.ReusedBytes,
	}
}

// PoolReuseStatsN returns the topN classes of [RuntimeStatsSummary], most hits
// first. Classes without hits are left out.
func PoolReuseStatsN(topN int, ps ...*CapacityPools) []PoolStat {
	return RuntimeStatsSummary(topN, ps...).TopPools
}

// PoolReuseStats is the same as [PoolReuseStatsN].
func PoolReuseStats(topN int, ps ...*CapacityPools) []PoolStat { return PoolReuseStatsN(topN, ps...) }
