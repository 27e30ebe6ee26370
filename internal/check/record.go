package check

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/rt"
)

// A Kind is what is tracked, as reports name it.
type Kind string

const (
	Slice  Kind = "slice"
	Buffer Kind = "Buffer"
	Reader Kind = "reader"
	Header Kind = "header" // of a slice: no finding is about one
)

// A stage is where a slice or object is in its life.
type stage uint8

const (
	inUse       stage = iota
	quarantined       // released, and still held by this package
	idle              // in its pool
	gone              // released, and never to come back
)

// A record is what is known of a slice or object. The mutex of its shard guards
// all fields except base, extent, alive, of and array, which never change.
type record struct {
	base   uintptr
	extent int         // bytes from base, as the table has it
	alive  func() bool // false when it was collected; nil for memory that never is
	of     uintptr     // the object that it belongs to, or 0; of a header, the array that it came with
	array  *record     // of a header: that of the array
	size   int         // capacity as it was handed out
	weight int         // how many requests it stands for in the profile
	stage  stage

	owned   bool        // by a Buffer, whose leak is reported in its place
	header  func() bool // whether the header that it was handed out with is in use; nil for none
	guarded bool        // in a mapping of its own
	filled  bool        // with the pattern, while it is idle
	epoch   uint32      // in which it was handed out: see state
	kind    Kind

	pool       string
	poolID     uint64
	label      rt.Label
	goroutine  int64 // that acquired it, if its label is no scope's; else 0
	acquired   *stack
	released   *stack
	serial     uint64        // a later one was acquired later; 0 if that was not seen
	acquiredAt time.Duration // as clock has it
	releasedAt time.Duration
}

// serials is the latest serial of a record.
var serials atomic.Uint64

// scopeLabels are the labels of scopes without pools; nil at first.
var scopeLabels atomic.Pointer[[]rt.Label]

// An Owner is a pool.
type Owner interface {
	Name() string
	ID() uint64 // of this pool alone, larger than those of older pools

	// Keep returns memory to the pool that Release took, when it leaves quarantine.
	Keep(b []byte)
}

// isPast reports whether r is out of date: the mode has changed since, or the memory
// was collected and the cleanup has not run yet.
func (r *record) isPast(now *state) bool {
	return r.epoch != now.epoch || r.alive != nil && !r.alive()
}

// begin notes that what r describes is handed out in an epoch.
func (r *record) begin(epoch uint32, o Owner, size int, where *stack) {
	r.size = size
	r.stage = inUse
	r.owned, r.header = false, nil
	r.epoch = epoch
	r.pool, r.poolID = o.Name(), o.ID()
	r.acquire(where)
	r.released, r.releasedAt = nil, 0
}

// acquire notes where and when what r describes was acquired, and by whom.
func (r *record) acquire(where *stack) {
	r.serial = serials.Add(1)
	r.label, r.goroutine = rt.CurrentLabel(), 0
	if labels := scopeLabels.Load(); labels != nil && len(*labels) > 0 && !slices.Contains(*labels, r.label) {
		r.goroutine = rt.Goroutine() // of a test, perhaps, which has lost its label
	}
	r.acquired, r.acquiredAt = where, clock()
}

// end notes that what r describes is released.
func (r *record) end(next stage, where *stack) {
	r.stage = next
	r.released, r.releasedAt = where, clock()
}

// finding describes a misuse of r.
func (r *record) finding(code finding.Code, what string, here *stack) *finding.Report {
	f := &finding.Report{
		Code: code, What: what,
		Object: string(r.kind), Size: r.size, Pool: r.pool,
		Acquired: r.acquired.trace(),
		Released: r.released.trace(),
		Now:      here.trace(),
	}
	if r.serial > 0 {
		f.Age = since(r.acquiredAt)
	}
	if r.stage != inUse {
		f.Idle = since(r.releasedAt)
	}
	return f
}

var began = time.Now()

// clock returns the time since the program started. In a bubble of testing/synctest it
// is negative, because the time of bubbles begins in the year 2000.
func clock() time.Duration { return time.Since(began) }

// since returns how long ago the clock was at t: 0, for unknown, if only one of both was
// in a bubble.
func since(t time.Duration) time.Duration {
	now := clock()
	if (now < 0) != (t < 0) {
		return 0
	}
	return max(now-t, 1)
}
