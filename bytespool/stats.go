package bytespool

import (
	"slices"
	"time"

	"github.com/octet-go/octet/internal/engine"
)

// Stats is a snapshot of a pool's counters since it was made. The counters are
// always on. They cost next to nothing, because each processor has its own. They
// are read one after the other, so a snapshot that is taken while the pool is in
// use may be off by the operations of that moment. Once these have ended, it is
// exact.
type Stats struct {
	Name string // as given by WithName

	Gets   uint64 // requests that a class served
	Hits   uint64 // Gets that were served from idle slices
	Misses uint64 // Gets that had to allocate
	Puts   uint64 // releases that a class took
	InUse  int64  // Gets less Puts; negative if foreign slices were released

	// InUseBytes is what is in use, by the capacities of classes. A release that no
	// request of its class precedes is taken for that of a slice which has grown since it
	// was requested from a smaller class: if nothing is in use, InUseBytes is 0.
	InUseBytes int64

	OutGets  uint64 // requests above the largest size, which are allocated
	OutBytes uint64 // the bytes asked for by OutGets

	TooSmall uint64 // releases rejected because of a small capacity
	TooLarge uint64 // releases rejected because of a large capacity

	IdleBytes int64 // what is kept now

	Dropped      Dropped   // slices that were released, and not kept or dropped later
	DroppedBytes Dropped   // the same in bytes
	LastDrop     time.Time // when idle slices were dropped last; zero if never

	Limit    LimitStats
	Pressure Pressure // the same for all pools

	Budget int64         // as given by WithIdleBudget; 0 for none
	Retain time.Duration // as given by WithRetain
	Steps  int           // classes a doubling

	Classes []ClassStats // those that were used, smallest first
}

// ClassStats is the part of [Stats] that belongs to one class.
type ClassStats struct {
	Capacity  int // bytes of a slice
	Gets      uint64
	Hits      uint64
	Misses    uint64
	Puts      uint64
	InUse     int64
	IdleBytes int64
	Dropped   Dropped
}

// Dropped counts slices that went to the collector, or their bytes, by reason.
type Dropped struct {
	OverBudget uint64 // the budget had no room
	OverBound  uint64 // they exceeded what was requested lately
	Odd        uint64 // they had grown beyond their class, by append, in a pool with a limit, which counts classes: see WithLimit
	Aged       uint64 // they were not used for too long: see WithRetain and Pressure.Retain
	Trimmed    uint64 // by Trim, or because a checked mode began or ended
	Abandoned  uint64 // their owners left them to the collector: see CapacityPools.Abandon
	FrontCut   uint64 // they did not begin where their memory does: see CapacityPools.Release
}

// Pressure says how much idle memory all pools together may retain although nobody uses
// it, beyond what a sync.Pool would keep; all in bytes. It is computed after each
// collection that finds idle memory.
//
// That is 16 MiB or, if larger, an eighth of the live heap. With a memory limit
// (GOMEMLIMIT) it is at most what the limit leaves for the heap beyond twice what is live:
// with less, collections would have to come sooner. Without a limit, Limit is
// math.MaxInt64.
type Pressure struct {
	At      time.Time // when this was computed; zero if never
	Live    int64     // the heap that was live
	NotHeap int64     // memory of the program beside its heap
	Limit   int64     // GOMEMLIMIT
	Retain  int64     // what all pools together may retain

	// LimiterCycle is the number of the last collection for which the runtime limited
	// the collector's share of the processors, or 0 if there was none. Such a collection
	// is a sign that the memory limit is too low for the program.
	LimiterCycle uint64
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
		LastDrop: e.LastDrop,
		Limit:    limitStats(p.pool.LimitStats(), p.sharedLimit()),
		Pressure: pressure(),
		Budget:   p.pool.Budget(),
		Retain:   p.pool.Retain(),
		Steps:    p.pool.Steps(),
		Classes:  make([]ClassStats, len(e.Classes)),
	}
	for i, c := range e.Classes {
		k := ClassStats{
			Capacity:  c.Capacity,
			Gets:      c.Gets,
			Hits:      c.Hits(),
			Misses:    c.Misses,
			Puts:      c.Puts,
			InUse:     c.InUse(),
			IdleBytes: int64(c.Idle)*int64(c.Capacity) + int64(c.Odd),
			Dropped:   Dropped(c.Dropped),
		}
		s.Gets += k.Gets
		s.Hits += k.Hits
		s.Misses += k.Misses
		s.Puts += k.Puts
		s.InUse += k.InUse
		s.IdleBytes += k.IdleBytes
		s.Dropped.add(k.Dropped, 1)
		s.DroppedBytes.add(k.Dropped, uint64(k.Capacity))
		s.Classes[i] = k
	}
	s.InUseBytes = inUseBytes(s.Classes, max(0, int64(s.TooLarge)-int64(s.OutGets)))
	return s
}

// inUseBytes returns what is in use. Where a class has more releases than requests, the
// rest were requested from smaller classes, and have grown; so were those that have grown
// beyond the largest class.
func inUseBytes(classes []ClassStats, grown int64) (n int64) {
	for _, c := range slices.Backward(classes) {
		inUse := c.InUse - grown
		grown = max(-inUse, 0)
		n += max(inUse, 0) * int64(c.Capacity)
	}
	return n
}

// add adds each of x times n.
func (d *Dropped) add(x Dropped, n uint64) {
	d.OverBudget += x.OverBudget * n
	d.OverBound += x.OverBound * n
	d.Odd += x.Odd * n
	d.Aged += x.Aged * n
	d.Trimmed += x.Trimmed * n
	d.Abandoned += x.Abandoned * n
	d.FrontCut += x.FrontCut * n
}

func pressure() Pressure {
	p := engine.LastPressure()
	return Pressure{
		At:           p.At,
		Live:         p.Live,
		NotHeap:      p.NotHeap,
		Limit:        p.Limit,
		Retain:       p.Retain,
		LimiterCycle: engine.LimiterCycle(),
	}
}
