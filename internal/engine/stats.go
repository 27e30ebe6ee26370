package engine

import (
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/magazine"
)

// Stats is what a pool's counters say. The counters are read one by one while
// operations go on; once these have stopped, they are exact.
type Stats struct {
	Classes []magazine.Counts // smallest first

	OutCount, OutBytes uint64 // requests that no class served, and their sizes
	TooSmall, TooLarge uint64 // releases that no class had room for

	LastDrop time.Time // when idle items were dropped last; zero if never
}

// Stats returns the classes that p has now or had, if they saw any traffic.
func (p *Pool) Stats() Stats {
	s := Stats{
		OutCount: p.out.count.Load(),
		OutBytes: p.out.bytes.Load(),
		TooSmall: p.out.tooSmall.Load(),
		TooLarge: p.out.tooLarge.Load(),
	}
	if d := p.lastDrop.Load(); d != 0 { // negative by the clock of a synctest bubble
		s.LastDrop = started.Add(time.Duration(d))
	}
	for k := magazine.FirstClass; k <= p.grid.Last(); k++ {
		cs := magazine.Counts{Capacity: p.grid.Capacity(k)}
		p.row.addTo(k, &cs)
		for _, o := range p.allObjects() {
			o.row.addTo(k, &cs)
		}
		if cs.Gets+cs.Puts > 0 {
			s.Classes = append(s.Classes, cs)
		}
	}
	return s
}

// addTo adds what class k, and the odd class behind it, have counted. Of objects, taking one with a
// slice counts as a get, and putting it as a release; if there is no idle object, that is not a
// request for a slice.
func (r *row) addTo(k int, cs *magazine.Counts) {
	for at := 2 * k; at < min(2*k+2, len(r.classes)); at++ {
		c := r.classes[at].Load()
		if c == nil {
			continue
		}
		s := c.Counts()
		if r.objects > 0 {
			s.Gets, s.Misses = s.Hits(), 0
		}
		cs.Gets += s.Gets
		cs.Misses += s.Misses
		cs.Puts += s.Puts
		cs.Idle += s.Idle
		cs.Odd += s.Odd
		AddDropped(&cs.Dropped, s.Dropped, 1)
	}
}

// LimitStats returns how the limit is used, by all the pools that have it.
func (p *Pool) LimitStats() stats.Limit {
	if p.limiter == nil {
		return stats.Limit{}
	}
	s := p.limiter.Stats()
	s.Shared = p.sharesLimit
	return s
}

// Rejected returns how many requests of p the limit has rejected.
func (p *Pool) Rejected() uint64 { return uint64(p.rejected.Load()) }

// AddDropped adds each of x to d, times n.
func AddDropped(d *stats.Dropped, x stats.Dropped, n uint64) {
	d.OverBudget += x.OverBudget * n
	d.OverBound += x.OverBound * n
	d.Aged += x.Aged * n
	d.Trimmed += x.Trimmed * n
	d.Abandoned += x.Abandoned * n
	d.FrontCut += x.FrontCut * n
}
