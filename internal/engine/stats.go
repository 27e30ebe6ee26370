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
	for k := magazine.FirstClass; k < len(p.classes); k++ {
		cs := magazine.Counts{Capacity: p.grid.Capacity(k)}
		if c := p.classes[k].Load(); c != nil {
			cs = c.Counts()
		}
		for _, o := range p.allObjects() {
			o.addTo(k, &cs)
		}
		if cs.Gets+cs.Puts > 0 {
			s.Classes = append(s.Classes, cs)
		}
	}
	return s
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

// Stats returns how l is used. It does not know whether several pools have it.
func (l *Limit) Stats() stats.Limit {
	used := l.used.Load()
	reserved := min(l.reserved.Load(), used) // less is used after Forget
	return stats.Limit{
		ID:       l.id,
		Name:     l.name,
		Bytes:    l.limit,
		InUse:    used - reserved,
		Reserved: reserved,
		Peak:     l.peak.Load(),
		Waiting:  int(l.waiting.Load()),
		Rejected: uint64(l.rejected.Load()),
		Waited:   time.Duration(l.waited.Load()),
	}
}
