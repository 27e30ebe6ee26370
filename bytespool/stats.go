package bytespool

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
