package bytespool

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/octet-go/octet/bytespool/stats"
)

// The RuntimeStats family counts while it is switched on. It shows what the statistics of
// [stats.Pool], which are always on, have counted meanwhile.

// A tally is what the family has counted of one pool.
type tally struct {
	mu    sync.Mutex
	since *stats.Pool // when it was switched on; nil while it is off
	sum   RuntimeSummary
	hits  map[int]uint64 // by capacity; sum and hits are from before it was last switched off
}

// SetWithStats switches the RuntimeStats family on or off. It counts while it is on,
// and keeps what it has counted while it is off.
func (p *CapacityPools) SetWithStats(on bool) {
	t := &p.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if on == (t.since != nil) {
		return
	}
	now := p.Stats()
	if on {
		t.since = &now
		return
	}
	t.sum, t.hits = t.count(&now)
	t.since = nil
}

// GetWithStats reports whether the RuntimeStats family is switched on.
func (p *CapacityPools) GetWithStats() bool {
	p.tally.mu.Lock()
	defer p.tally.mu.Unlock()
	return p.tally.since != nil
}

// count returns what was counted up to now, while it is on. The caller holds t.mu.
func (t *tally) count(now *stats.Pool) (sum RuntimeSummary, hits map[int]uint64) {
	before := make(map[int]stats.Class, len(t.since.Classes))
	for _, c := range t.since.Classes {
		before[c.Capacity] = c
	}
	sum, hits = t.sum, maps.Clone(t.hits)
	if hits == nil {
		hits = make(map[int]uint64)
	}
	for _, c := range now.Classes {
		b := before[c.Capacity]
		h := less(c.Hits, b.Hits)
		sum.NewBytes += less(c.Misses, b.Misses) * uint64(c.Capacity)
		sum.ReusedBytes += h * uint64(c.Capacity)
		hits[c.Capacity] += h
	}
	sum.OutBytes += now.OutBytes - t.since.OutBytes
	sum.OutCount += now.OutGets - t.since.OutGets
	return sum, hits
}

// less returns a - b, or 0 if that is negative: two snapshots of a pool in use
// may be off against each other.
func less(a, b uint64) uint64 { return a - min(a, b) }

// summary returns what was counted of p, and whether it is switched on.
func (p *CapacityPools) summary() (sum RuntimeSummary, hits map[int]uint64, on bool) {
	t := &p.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.since == nil {
		return RuntimeSummary{}, nil, false
	}
	now := p.Stats()
	sum, hits = t.count(&now)
	return sum, hits, true
}

// summarize adds up those of the given pools, or of the default pools if none are
// given, that are switched on, and reports whether any is.
func summarize(ps []*CapacityPools) (sum RuntimeSummary, hits map[int]uint64, on bool) {
	if len(ps) == 0 {
		ps = []*CapacityPools{DefaultCapacityPools}
	}
	hits = make(map[int]uint64)
	for _, p := range ps {
		if p == nil {
			continue
		}
		s, h, counts := p.summary()
		sum.NewBytes += s.NewBytes
		sum.ReusedBytes += s.ReusedBytes
		sum.OutBytes += s.OutBytes
		sum.OutCount += s.OutCount
		for capacity, n := range h {
			hits[capacity] += n
		}
		on = on || counts
	}
	return sum, hits, on
}

// RuntimeSummary is what [RuntimeStatsSummary] returns. A slice of a class counts with
// the capacity of the class, one above the largest size with the size asked for.
type RuntimeSummary struct {
	NewBytes    uint64 // allocated for the pools
	OutBytes    uint64 // allocated outside the classes, above the largest size
	OutCount    uint64 // how many slices that was
	ReusedBytes uint64 // served from idle slices

	TopPools []PoolStat // the classes with the most hits
}

// PoolStat is the rank of one class by hits.
type PoolStat struct {
	Rank      int // from 1
	Capacity  int // bytes of a slice
	ReuseHits uint64
}

// RuntimeStatsSummary adds up what was counted of the given pools, or of the default
// pools if none are given, with the topN classes that had the most hits: none if topN
// is 0 or less. Pools that have statistics switched off, and nil, count nothing.
func RuntimeStatsSummary(topN int, ps ...*CapacityPools) RuntimeSummary {
	sum, hits, _ := summarize(ps)
	sum.TopPools = rank(hits, topN)
	return sum
}

// rank returns the topN capacities with the most hits, leaving out those without.
func rank(hits map[int]uint64, topN int) []PoolStat {
	if topN <= 0 {
		return nil
	}
	var top []PoolStat
	for capacity, n := range hits {
		if n > 0 {
			top = append(top, PoolStat{Capacity: capacity, ReuseHits: n})
		}
	}
	slices.SortFunc(top, func(a, b PoolStat) int {
		return cmp.Or(cmp.Compare(b.ReuseHits, a.ReuseHits), cmp.Compare(a.Capacity, b.Capacity))
	})
	top = top[:min(topN, len(top))]
	for i := range top {
		top[i].Rank = i + 1
	}
	return top
}

// RuntimeStats returns the sums of [RuntimeStatsSummary] under the keys NewBytes,
// OutBytes, OutCount and ReusedBytes, and nil if none of the pools has statistics
// switched on.
func RuntimeStats(ps ...*CapacityPools) map[string]uint64 {
	s, _, on := summarize(ps)
	if !on {
		return nil
	}
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
	_, hits, _ := summarize(ps)
	return rank(hits, topN)
}

// PoolReuseStats is the same as [PoolReuseStatsN].
func PoolReuseStats(topN int, ps ...*CapacityPools) []PoolStat { return PoolReuseStatsN(topN, ps...) }
