package poolz

import (
	"slices"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/stats"
)

const (
	interval = time.Second // between samples
	span     = time.Minute // what is kept, and how long sampling goes on
)

// A pool is what is known of a pool at one time.
type pool struct{ stats.Pool }

// observe returns all pools that are alive, the oldest first.
func observe() (list []pool) {
	for p := range bytespool.Pools() {
		list = append(list, pool{p.Stats()})
	}
	return list
}

// A point is what a sample has of a pool.
type point struct {
	at                   time.Time
	gets, hits, puts     uint64
	overBudget, rejected uint64
	inUse                int64
}

func (p *pool) point(at time.Time) point {
	return point{
		at:         at,
		gets:       p.Gets,
		hits:       p.Hits,
		puts:       p.Puts,
		overBudget: p.Dropped.OverBudget,
		rejected:   p.Rejected,
		inUse:      p.InUseBytes,
	}
}

// A history is the points of a pool, at most a minute old, the oldest first.
type history []point

// add returns h with another point, without those that are older than a minute. It
// does not change the points of h, which a page may be showing: the new one follows
// them in memory, where nobody else looks. So it is called once for each h.
func (h history) add(p point) history {
	// A sample may come a little late: then the one from a minute ago still counts.
	for len(h) > 0 && p.at.Sub(h[0].at) > span+interval/2 {
		h = h[1:]
	}
	return append(h, p)
}

// A sampler keeps the history of all pools while somebody looks: from the first look
// until a minute after the last. It has a timer and no goroutine, because a page may be
// asked for in a synctest bubble, which does not end before its goroutines, and whose
// timers end with it.
type sampler struct {
	mu        sync.Mutex
	until     time.Time          // sampling ends then
	last      time.Time          // when the last sample was taken; zero if sampling has ended
	turn      int                // how often sampling began; what an earlier timer does is void
	histories map[uint64]history // by the pool's id
}

// look returns the histories, and makes sure that they go on. The caller must not
// change them.
func (s *sampler) look() map[uint64]history {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.until = now.Add(span)
	if since := now.Sub(s.last); since < 0 || since > 5*interval { // ended, or by another clock
		s.turn++
		s.histories = nil
		s.sample(now)
	}
	return s.histories
}

// tick takes a sample, or ends sampling.
func (s *sampler) tick(turn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now := time.Now(); {
	case turn != s.turn:
	case now.After(s.until):
		s.last, s.histories = time.Time{}, nil
	default:
		s.sample(now)
	}
}

// sample adds a point to the history of each pool, and has the next sample taken. The
// histories of pools that were collected go. The caller holds s.mu.
func (s *sampler) sample(now time.Time) {
	next := make(map[uint64]history, len(s.histories)) // look has given the old map away
	for _, p := range observe() {
		next[p.ID] = s.histories[p.ID].add(p.point(now))
	}
	s.histories, s.last = next, now
	turn := s.turn
	time.AfterFunc(interval, func() { s.tick(turn) })
}

// A change is how much happened between two points.
type change struct {
	over                 time.Duration
	gets, hits, puts     uint64
	overBudget, rejected uint64
}

// change returns what happened during h: nothing if it has fewer than two points.
func (h history) change() change {
	if len(h) < 2 {
		return change{}
	}
	return h[0].until(h[len(h)-1])
}

// until returns what happened from a to b. Counters are read one by one while they
// change, so that one of them may seem to go back.
func (a point) until(b point) change {
	less := func(b, a uint64) uint64 { return b - min(a, b) }
	return change{
		over:       b.at.Sub(a.at),
		gets:       less(b.gets, a.gets),
		hits:       less(b.hits, a.hits),
		puts:       less(b.puts, a.puts),
		overBudget: less(b.overBudget, a.overBudget),
		rejected:   less(b.rejected, a.rejected),
	}
}

// rate returns gets per second.
func (c change) rate() float64 {
	if c.over <= 0 {
		return 0
	}
	return float64(c.gets) / c.over.Seconds()
}

// hitRate returns the share of gets that were hits, and false if there were no gets.
func (c change) hitRate() (share float64, ok bool) {
	return float64(min(c.hits, c.gets)) / float64(max(c.gets, 1)), c.gets > 0
}

// grows reports whether more bytes were in use in the last third of h than ever in its
// first third, by a tenth and a mebibyte at least, although requests did not become
// more frequent by more than a tenth. It needs most of a minute.
func (h history) grows() (by int64, yes bool) {
	n := len(h) / 3
	if n < 2 || h[len(h)-1].at.Sub(h[0].at) < span*3/4 {
		return 0, false
	}
	first, last := h[:n], h[len(h)-n:]
	bytes := func(a, b point) int { return int(max(min(a.inUse-b.inUse, 1), -1)) }
	by = slices.MinFunc(last, bytes).inUse - slices.MaxFunc(first, bytes).inUse
	return by, by >= max(1<<20, slices.MaxFunc(first, bytes).inUse/10) &&
		last.change().rate() <= first.change().rate()*1.1
}
