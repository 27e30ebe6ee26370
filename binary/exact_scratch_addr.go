//go:build !octet_purego

package binary

import "unsafe"

// A scratchRef holds its scratch by a pointer that is set when the first is
// needed, together with the address that it then lies at.
//
// The address is kept as a number: as a pointer it would have escape analysis
// move every chain to the heap, also those that never need a scratch.
//
// Sound, although the addresses of a stack change hands: two scratchRefs have
// the same scratch only if one was copied from the other, and then they have the
// same owner too, at which no more than one of them can lie at a time. If that
// one moves away (its stack grows while the Writer runs) and the other takes its
// place, the one that moved finds itself at the wrong address ever after; and it
// leaves busy set if it was using the scratch, so that the other turns it down.
// Neither looks at busy as long as it lies elsewhere, so that they do not race.
type scratchRef struct {
	s     *scratch
	owner uintptr // its complement while blocked
}

func (r *scratchRef) address() uintptr { return uintptr(unsafe.Pointer(r)) }

// ready reports whether there is a scratch that is neither somebody else's nor
// busy nor blocked. It is what a chain asks first for every field.
func (r *scratchRef) ready() bool { return r.owner == r.address() && !r.s.busy }

// take returns the scratch of a scratchRef that is ready, and makes it busy.
func (r *scratchRef) take() *scratch {
	s := r.s
	s.busy = true
	return s
}

// acquire returns a scratch that nobody else uses until it is released. If the
// Writer or Reader panics, or uses the same chain again, it is not released
// in time, and the next to acquire gets another.
func (r *scratchRef) acquire() *scratch {
	if r.owner == ^r.address() {
		r.owner = r.address()
	}
	if !r.ready() {
		r.s, r.owner = new(scratch), r.address()
	}
	return r.take()
}

// release gives back what take or acquire returned.
func (r *scratchRef) release(s *scratch) {
	s.busy = r.owner != r.address()
}

// block has ready report false until the next acquire. A copy lets go of the
// original's scratch, lest it be ready when it takes the original's place.
func (r *scratchRef) block() {
	if r.owner == r.address() {
		r.owner = ^r.owner
	} else if r.owner != ^r.address() {
		r.owner = 0
	}
}
