package bytespool

import (
	"slices"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/engine"
)

// Stats returns a snapshot of the counters. It takes some microseconds.
func (p *Pool) Stats() stats.Pool {
	e := p.pool.Stats()
	s := stats.Pool{
		ID:       p.pool.ID(),
		Name:     p.pool.Name(),
		Options:  p.pool.Options(),
		OutGets:  e.OutCount,
		OutBytes: e.OutBytes,
		TooSmall: e.TooSmall,
		TooLarge: e.TooLarge,
		LastDrop: e.LastDrop,
		Rejected: p.pool.Rejected(),
		Limit:    p.pool.LimitStats(),
		Pressure: engine.LastPressure(),
		Classes:  make([]stats.Class, len(e.Classes)),
	}
	for i, c := range e.Classes {
		k := stats.Class{
			Capacity:  c.Capacity,
			Gets:      c.Gets,
			Hits:      c.Hits(),
			Misses:    c.Misses,
			Puts:      c.Puts,
			InUse:     c.InUse(),
			IdleBytes: int64(c.Idle)*int64(c.Capacity) + int64(c.Odd),
			Dropped:   c.Dropped,
		}
		s.Gets += k.Gets
		s.Hits += k.Hits
		s.Misses += k.Misses
		s.Puts += k.Puts
		s.InUse += k.InUse
		s.IdleBytes += k.IdleBytes
		engine.AddDropped(&s.Dropped, k.Dropped, 1)
		engine.AddDropped(&s.DroppedBytes, k.Dropped, uint64(k.Capacity))
		s.Classes[i] = k
	}
	s.InUseBytes = inUseBytes(s.Classes, max(0, int64(s.TooLarge)-int64(s.OutGets)))
	return s
}

// inUseBytes returns what is in use. Where a class has more releases than requests, the
// rest were requested from smaller classes, and have grown; so were those that have grown
// beyond the largest class.
func inUseBytes(classes []stats.Class, grown int64) (n int64) {
	for _, c := range slices.Backward(classes) {
		inUse := c.InUse - grown
		grown = max(-inUse, 0)
		n += max(inUse, 0) * int64(c.Capacity)
	}
	return n
}
