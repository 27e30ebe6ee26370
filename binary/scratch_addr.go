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
	owner uintptr
}

// acquire returns a scratch that nobody else uses until it is released. If
// the Writer or Reader panics, or uses the same chain again, it is not released
// in time, and the next to acquire gets another.
func (r *scratchRef) acquire() *scratch {
	s := r.s
	if r.owner != uintptr(unsafe.Pointer(r)) || s.busy {
		s = r.renew()
	}
	s.busy = true
	return s
}

// renew is apart so that acquire can be inlined.
func (r *scratchRef) renew() *scratch {
	r.s, r.owner = new(scratch), uintptr(unsafe.Pointer(r))
	return r.s
}

// release gives back what acquire returned.
func (r *scratchRef) release(s *scratch) {
	if r.owner == uintptr(unsafe.Pointer(r)) {
		s.busy = false
	}
}
