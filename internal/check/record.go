package check

import (
	"runtime"
	"time"
	"weak"

	"github.com/octet-go/octet/internal/finding"
	"github.com/octet-go/octet/internal/rt"
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
// all fields except base, extent, alive and of, which never change.
type record struct {
	base   uintptr
	extent int         // bytes from base, as the table has it
	alive  func() bool // false when it was collected; nil for memory that never is
	of     uintptr     // the object that it belongs to, or 0
	size   int         // capacity as it was handed out
	class  int         // of a slice: the capacity that reports name, without a sampled slice's excess
	weight int         // how many requests it stands for in the profile
	stage  stage

	owned   bool   // by a Buffer, whose leak is reported in its place
	guarded bool   // in a mapping of its own
	epoch   uint32 // in which it was handed out: see state
	object  string // "slice", "Buffer", ...

	pool       string
	poolID     uint64
	label      rt.Label
	acquired   *stack
	released   *stack
	acquiredAt time.Duration // since the program started; 0 if it was not seen
	releasedAt time.Duration
}

// An Owner is a pool.
type Owner interface {
	Name() string
	ID() uint64 // of this pool alone, larger than those of older pools

	// Keep returns memory to the pool that Release took, when it leaves quarantine.
	Keep(b []byte)
}

// watch tracks x, which r describes: collected will be called after the collector
// has taken it.
func watch[T any](r *record, x *T) {
	w := weak.Make(x)
	r.alive = func() bool { return w.Value() != nil }
	track(r)
	runtime.AddCleanup(x, collected, r)
}

// isPast reports whether r is out of date: the mode has changed since, or the memory
// was collected and the cleanup has not run yet.
func (r *record) isPast(now *state) bool {
	return r.epoch != now.epoch || r.alive != nil && !r.alive()
}

// begin notes that what r describes is handed out in an epoch.
func (r *record) begin(epoch uint32, o Owner, size, class int, where *stack) {
	r.size, r.class = size, class
	r.stage = inUse
	r.owned = false
	r.epoch = epoch
	r.pool, r.poolID = o.Name(), o.ID()
	r.label = rt.CurrentLabel()
	r.acquired, r.acquiredAt = where, clock()
	r.released, r.releasedAt = nil, 0
	if r.object == "slice" && where != nil && !inProfile.Asks() {
		inProfile.Add(r, innerFrames())
	}
}

// end notes that what r describes is released.
func (r *record) end(next stage, where *stack) {
	r.stage = next
	r.released, r.releasedAt = where, clock()
	inProfile.Remove(r)
}

// finding describes a misuse of r.
func (r *record) finding(code finding.Code, what string, here *stack) *finding.Report {
	f := &finding.Report{
		Code: code, What: what,
		Object: r.object, Size: r.class, Pool: r.pool,
		Acquired: r.acquired.trace(),
		Released: r.released.trace(),
		Now:      here.trace(),
	}
	if r.acquiredAt > 0 {
		f.Age = clock() - r.acquiredAt
	}
	if r.releasedAt > 0 {
		f.Idle = clock() - r.releasedAt
	}
	return f
}
