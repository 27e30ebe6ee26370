package check

import (
	"sync/atomic"
)

// A state is what is in effect. It never changes; replaceState replaces it as a
// whole. So a goroutine that loads it once has a mode, an epoch and what follows from
// them that belong together.
//
// In mode off there is no state: current is nil, and the look that the pools take at
// it in their slow paths is one load and one comparison.
//
// # How the mode changes
//
// In these steps, which all goroutines see in this order:
//
//  1. If the new mode closes the fast paths of the pools, a copy of the old state
//     that closes them replaces it, and the pools are notified. So the fast paths are
//     closed before anything is tracked. Otherwise they would hand out slices that
//     the table has as idle.
//  2. The new state replaces it, with a new epoch. From now on the records of what
//     was handed out before are past; so is a record that a goroutine is about to
//     make which loaded the old state.
//  3. The pools are notified. They open their fast paths if the new state does not
//     close them, and drop what they keep idle, which the new epoch does not know.
//  4. All records are dropped, and quarantine is emptied. This may also drop records
//     of the new epoch, made since step 2: those slices are not known then.
//  5. A copy of the new state with strictSince replaces it: only now may unknown
//     slices be foreign, if they are released to pools that were made later.
//
// A change of other settings replaces the state, keeps the epoch, and notifies the
// pools. So does guarded memory that is connected where mode full was in place of guard:
// pools that were made before may have handed out slices, which stay known.
type state struct {
	Config // its mode is not off, except in step 1
	guard  Arena

	// line is for stderr, because the mode is not quite the one that was chosen. It is
	// written when a slice is tracked or a misuse found: until then, what is lacking may
	// be connected.
	line string

	// epoch counts the changes of the mode. A record of another epoch is past: what
	// happened to its slice since then may not have been seen.
	epoch uint32

	// closes says that the pools must close their fast paths.
	closes bool

	// strictSince is the number of the oldest pool all of whose slices were handed
	// out in this epoch.
	strictSince uint64
}

// An Arena is guarded memory, as package guard has it.
type Arena struct {
	Start func(live int) (reporter, err error)
	Alloc func(n, size int, pool string, acquired []uintptr) ([]byte, bool)
	Free  func(b []byte, released []uintptr) bool
	Owns  func(b []byte) bool
}

// off is what load returns in mode off. Nothing panics there: a misuse that is still
// found belongs to a mode that ended a moment ago.
var off = state{Config: Config{Action: ActionLog}}

// current is what is in effect, or nil for off. It is no field of a struct, where the
// look at it would not be inlined on 32-bit processors.
var current atomic.Pointer[state]

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

// strict reports whether every slice is checked.
func (s *state) strict() bool { return s.Mode >= Full }

// publish makes s the current state, or nil if its mode is off.
func (s state) publish() {
	now := &s
	if s.Mode == Off {
		now = nil
	}
	current.Store(now)
}

// lastPool is the number of the newest pool.
var lastPool atomic.Uint64

// NewPoolID returns a number for a new pool.
func NewPoolID() uint64 { return lastPool.Add(1) }
