package check

import (
	"math"
	"sync/atomic"

	"github.com/octet-go/octet/internal/finding"
)

// A state is what is in effect. It is never changed but replaced, by apply alone,
// so that whoever loads it once has a mode, its epoch and what follows from them
// that belong together.
//
// # What may be relied on
//
// In mode off there is no state: current is nil, and the look that the pools take
// at it in their slow paths is one load and one comparison.
//
// A change of the mode comes in steps, which everybody sees in this order:
//
//  1. If the new mode closes the fast paths of the pools, the old state is
//     replaced by one that closes them, and the pools are notified. So they are
//     closed before anything is tracked: they would hand out what the table has
//     as idle.
//  2. The new state takes effect, with a new epoch. What was handed out before is
//     past from this moment on, and a record that somebody still makes, who had
//     loaded the old state, is past when it comes into the table.
//  3. The pools are notified: they open their fast paths if the new state does not
//     close them, and drop what they keep idle, of which the new epoch knows
//     nothing.
//  4. All records are dropped, and quarantine is emptied. This may drop records
//     of the new epoch, too: what was handed out since step 2 is not known then.
//  5. Only now may slices that are not known be reported as foreign, and only
//     those of pools that were made later: see strictSince.
//
// A change of other settings replaces the state and keeps its epoch.
type state struct {
	Config // of a mode other than off, but in step 1

	// epoch counts the changes of the mode. A record of another epoch says nothing:
	// what happened to its slice meanwhile may not have been seen.
	epoch uint32

	// closes says that the pools must close their fast paths.
	closes bool

	// strictSince is the number of the oldest pool all of whose slices were seen in
	// this epoch.
	strictSince uint64
}

// current is the state, or nil for off.
var current atomic.Pointer[state]

// off is the state of mode off. Nothing panics there: what is still found belongs
// to a mode that ended a moment ago.
var off = state{Config: Config{Action: ActionLog}}

// load returns the state.
func load() *state {
	if s := current.Load(); s != nil {
		return s
	}
	return &off
}

// Current returns the mode.
func Current() Mode {
	if s := current.Load(); s != nil {
		return s.Mode
	}
	return Off
}

// Strict reports whether every slice is checked.
func Strict() bool { return Current() >= Full }

// Closes reports whether the pools must close their fast paths.
func Closes() bool { return load().closes }

// Settings returns what is in effect.
func Settings() Config { return load().Config }

// Sees reports whether the release of a slice of capacity n is seen.
func Sees(n int) bool {
	m := Current()
	return m >= Full || m == Sample && !isClass(n)
}

// strict reports whether every slice is checked.
func (s *state) strict() bool { return s.Mode >= Full }

// reportsForeign reports whether it is wrong to release a slice into o that o did
// not hand out: whether all that o handed out was seen.
func (s *state) reportsForeign(o Owner) bool { return s.Foreign && o.ID() >= s.strictSince }

// lastEpoch is the epoch of the latest state that had one of its own. It is
// guarded by setting.
var lastEpoch uint32

// replaceState puts c into effect, in the steps that type state describes, and
// returns what came to light as the old mode ended. The caller holds setting.
func replaceState(c Config) (found []*finding.Report) {
	old := load()
	next := state{Config: c, closes: c.Mode >= Full || c.Mode == Sample && c.OneIn == 1}
	if c.Mode == old.Mode {
		next.epoch, next.strictSince = old.epoch, old.strictSince
		next.publish()
		notify()
		return nil
	}
	if next.closes && !old.closes { // step 1
		closing := *old
		closing.closes = true
		current.Store(&closing)
		notify()
	}
	lastEpoch++
	next.epoch, next.strictSince = lastEpoch, math.MaxUint64
	next.publish() // step 2
	notify()       // step 3
	found = forget()
	next.strictSince = lastPool.Load() + 1
	next.publish() // step 5
	return found
}

// publish makes s, or nil in its place, the current state.
func (s state) publish() {
	if s.Mode == Off {
		current.Store(nil)
	} else {
		current.Store(&s)
	}
}

// lastPool is the number of the newest pool.
var lastPool atomic.Uint64

// NewPoolID returns a number for a new pool.
func NewPoolID() uint64 { return lastPool.Add(1) }
