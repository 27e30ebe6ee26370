// Package stats has the counts of pools.
//
// [github.com/octet-go/octet/bytespool.Pool.Stats] returns a [Pool], a snapshot.
// Programs read its fields. Package poolz and contrib/prometheus show all of them.
package stats

import "time"

// Pool is a snapshot of a pool's counters since it was made. The counters are always on.
// They cost next to nothing, because each processor has its own. They are read one after
// the other, so a snapshot that is taken while the pool is in use may be off by the
// operations of that moment. Once these have ended, it is exact.
type Pool struct {
	ID   uint64 // of this pool alone; later pools have larger ones
	Name string // as given by bytespool.WithName

	Options

	Gets   uint64 // requests that a class served
	Hits   uint64 // Gets that were served from idle slices
	Misses uint64 // Gets that had to allocate
	Puts   uint64 // releases that a class took
	InUse  int64  // Gets less Puts; negative if foreign slices were released

	// InUseBytes is the capacity of slices in use, not the sizes asked for: a larger slice
	// that New found idle counts in full, and an odd one as the next class. A release that no
	// request of its class precedes is taken for that of a slice which has grown since it
	// was requested from a smaller class: if nothing is in use, InUseBytes is 0.
	InUseBytes int64

	OutGets  uint64 // requests above the largest size, which are allocated
	OutBytes uint64 // the bytes asked for by OutGets

	TooSmall uint64 // slices that no class takes, released or abandoned: their capacity is too small
	TooLarge uint64 // the same: it is too large

	IdleBytes int64 // capacity of idle slices, now

	Dropped      Dropped   // slices that were released, and not kept or dropped later
	DroppedBytes Dropped   // the same in bytes
	LastDrop     time.Time // when idle slices were dropped last; zero if never

	Rejected uint64 // requests of this pool that got bytespool.ErrLimit
	Limit    Limit
	Pressure Pressure // the same for all pools

	Classes []Class // those that were used, smallest first
}

// Options are those of a pool that are figures.
type Options struct {
	Budget int64         // as given by bytespool.WithIdleBudget; 0 for none
	Retain time.Duration // as given by bytespool.WithRetain; 0 for none
	Steps  int           // classes a doubling
}

// Class is the part of [Pool] that belongs to one class.
type Class struct {
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
	OverBound  uint64 // they exceeded the number requested lately
	Aged       uint64 // they were not used for too long: see bytespool.WithRetain and Pressure.Retain
	Trimmed    uint64 // by Trim, or because a checked mode began or ended
	Abandoned  uint64 // their owners left them to the collector: see bytespool.Abandon
	FrontCut   uint64 // they did not begin where their memory does: see bytespool.Release
}

// Limit says how a limit is used. All is 0 without one. Bytes are capacities. The numbers
// are read one after the other.
type Limit struct {
	ID   uint64 // of this limit alone
	Name string // as given by bytespool.WithName to the limit, or to the pool that has it alone

	// Shared says that several pools may have the limit. The figures are then of all these
	// together; of a pool's own, Pool has InUseBytes and Rejected.
	Shared bool

	Bytes    int64         // as given by bytespool.WithLimit or NewLimit
	InUse    int64         // handed out and not released
	Reserved int64         // set aside by reservations and not taken yet
	Peak     int64         // the most that was in use and reserved together
	Waiting  int           // goroutines that wait now
	Rejected uint64        // requests that got bytespool.ErrLimit
	Waited   time.Duration // by all waiters together, also those whose context ended
}

// Pressure says how much unused memory all pools together may retain beyond that of a
// sync.Pool; all in bytes. It is computed after each
// collection that finds idle memory. A retention that bytespool.WithRetain has ordered is bounded
// by the memory limit alone, and comes on top of it.
//
// That is 16 MiB, unless Used is more than 20 MiB; or, if larger, a tenth of the live
// heap. With a memory limit (GOMEMLIMIT) it is at most the room that the limit leaves for
// the heap beyond twice the live heap: with less, collections would have to come sooner. Without a
// limit, Limit is math.MaxInt64.
type Pressure struct {
	At      time.Time // when this was computed; zero if never
	Live    int64     // the heap that was live
	NotHeap int64     // memory of the program beside its heap
	Used    int64     // slices in use at a collection, or used since the one before; of pools that keep idle ones, the most of four collections
	Limit   int64     // GOMEMLIMIT
	Retain  int64     // bytes that all pools together may retain

	// GCLimitedCycle is the number of the last collection for which the runtime limited
	// the collector's share of the processors, or 0 if there was none. Such a collection
	// is a sign that the memory limit is too low for the program.
	GCLimitedCycle uint64
}
