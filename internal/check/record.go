package check

import (
	"runtime"
	"time"
	"weak"

	"github.com/octet-go/octet/internal/finding"
)

// A stage is where a slice or an object is.
type stage uint8

const (
	inUse       stage = iota
	quarantined       // released, and still held by this package
	idle              // in its pool
	gone              // released, and never to come back
)

// A record is what is known of a slice or an object. The mutex of its shard
// guards it, but for what never changes: base, extent, alive and of.
type record struct {
	base   uintptr
	extent int         // bytes from base, as the table has it
	alive  func() bool // whether the collector has left it; nil if it is not the collector's
	of     uintptr     // the object that it belongs to, or 0
	size   int         // capacity as it was handed out
	class  int         // of a slice: the capacity that reports name, without a sampled slice's excess
	weight int         // how many requests it stands for in the profile
	stage  stage

	owned   bool   // a Buffer has it, and answers for it
	guarded bool   // in a mapping of its own
	epoch   uint32 // in which it was handed out: see state
	object  string // "slice", "Buffer", ...

	pool       string
	poolID     uint64
	label      label
	acquired   *stack
	released   *stack
	acquiredAt time.Duration // since the program started; 0 if it was not seen
	releasedAt time.Duration
}

// An Owner is a pool.
type Owner interface {
	Name() string
	ID() uint64 // of this pool alone, larger than those of older pools

	// Keep takes memory back that Release held back for a while.
	Keep(b []byte)
}

// watch has collected be called when the collector takes x, which r is about.
func watch[T any](r *record, x *T) {
	w := weak.Make(x)
	r.alive = func() bool { return w.Value() != nil }
	track(r)
	runtime.AddCleanup(x, collected, r)
}

// isPast reports whether r says nothing of what lies at its address now: the mode
// has changed since, or the memory was collected and the cleanup is still to run.
func (r *record) isPast(now *state) bool {
	return r.epoch != now.epoch || r.alive != nil && !r.alive()
}

// begin notes that r is handed out in an epoch.
func (r *record) begin(epoch uint32, o Owner, size, class int, where *stack) {
	r.size, r.class = size, class
	r.stage = inUse
	r.owned = false
	r.epoch = epoch
	r.pool, r.poolID = o.Name(), o.ID()
	r.label = currentLabel()
	r.acquired, r.acquiredAt = where, clock()
	r.released, r.releasedAt = nil, 0
	if r.object == "slice" && where != nil && !inProfile.Asks() {
		inProfile.Add(r, innerFrames())
	}
}

// end notes that r is released.
func (r *record) end(next stage, where *stack) {
	r.stage = next
	r.owned = false
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
