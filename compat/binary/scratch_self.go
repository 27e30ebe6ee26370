//go:build octet_purego

package binary

// A scratchRef is a scratch and a pointer to itself, which distinguishes it from its
// copies. The pointer makes the compiler move every chain to the heap.
type scratchRef struct {
	s       scratch
	self    *scratchRef
	blocked bool
}

// ready reports whether there is a scratch that belongs to r and is neither busy nor
// blocked. A chain asks this first for every field.
func (r *scratchRef) ready() bool { return r.self == r && !r.s.busy && !r.blocked }

// take returns the scratch and makes it busy. R must be ready.
func (r *scratchRef) take() *scratch {
	r.s.busy = true
	return &r.s
}

// acquire returns a scratch that nobody else uses until it is released. If the Writer or
// Reader panics, or uses the same chain, the scratch stays busy, and the next call of
// acquire returns another.
func (r *scratchRef) acquire() *scratch {
	if r.self != r {
		r.s, r.self = scratch{}, r
	}
	if r.s.busy {
		return &scratch{busy: true}
	}
	r.blocked = false
	return r.take()
}

// release ends the use of a scratch from take or acquire.
func (r *scratchRef) release(s *scratch) { s.busy = false }

// block makes ready return false until the next acquire.
func (r *scratchRef) block() { r.blocked = true }
