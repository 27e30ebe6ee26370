//go:build octet_purego

package binary

// A scratchRef is a scratch and a pointer to itself, which tells a copy from
// the original. The pointer moves every chain to the heap.
type scratchRef struct {
	s       scratch
	self    *scratchRef
	blocked bool
}

// ready reports whether there is a scratch that is neither somebody else's nor
// busy nor blocked. It is what a chain asks first for every field.
func (r *scratchRef) ready() bool { return r.self == r && !r.s.busy && !r.blocked }

// take returns the scratch of a scratchRef that is ready, and makes it busy.
func (r *scratchRef) take() *scratch {
	r.s.busy = true
	return &r.s
}

// acquire returns a scratch that nobody else uses until it is released. If the
// Writer or Reader panics, or uses the same chain again, it is not released
// in time, and the next to acquire gets another.
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

// release gives back what take or acquire returned.
func (r *scratchRef) release(s *scratch) { s.busy = false }

// block has ready report false until the next acquire.
func (r *scratchRef) block() { r.blocked = true }
