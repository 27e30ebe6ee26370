//go:build !octet_purego

package binary

import "unsafe"

// A scratchRef is a pointer to a scratch, set when the first is needed, and the address
// that the scratchRef had then.
//
// The address is kept as a number. As a pointer, it would make escape analysis move
// every chain to the heap, even those that never need a scratch.
//
// Sound, although addresses on a stack are reused: two scratchRefs have the same scratch
// only if one is a copy of the other. Then they have the same owner as well, and at most
// one of them can be at that address at a time. Suppose that this one moves because its
// stack grows while the Writer runs, and that the other comes to lie at the address.
// The one that moved is at a wrong address from then on. If it was using the scratch, it
// leaves busy set, so the other rejects the scratch. A scratchRef at another address
// does not look at busy, so the two do not race.
type scratchRef struct {
	s     *scratch
	owner uintptr // the address, or its complement while blocked
}

func (r *scratchRef) address() uintptr { return uintptr(unsafe.Pointer(r)) }

// ready reports whether there is a scratch that belongs to r and is neither busy nor
// blocked. A chain asks this first for every field.
func (r *scratchRef) ready() bool { return r.owner == r.address() && !r.s.busy }

// take returns the scratch and makes it busy. R must be ready.
func (r *scratchRef) take() *scratch {
	s := r.s
	s.busy = true
	return s
}

// acquire returns a scratch that nobody else uses until it is released. If the Writer or
// Reader panics, or uses the same chain, the scratch stays busy, and the next call of
// acquire returns another.
func (r *scratchRef) acquire() *scratch {
	if r.owner == ^r.address() {
		r.owner = r.address()
	}
	if !r.ready() {
		r.s, r.owner = new(scratch), r.address()
	}
	return r.take()
}

// release ends the use of a scratch from take or acquire.
func (r *scratchRef) release(s *scratch) {
	s.busy = r.owner != r.address()
}

// block makes ready return false until the next acquire. If r is a copy, it drops the
// scratch of the original, because r might come to lie at the original's address.
func (r *scratchRef) block() {
	if r.owner == r.address() {
		r.owner = ^r.owner
	} else if r.owner != ^r.address() {
		r.owner = 0
	}
}
