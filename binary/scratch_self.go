//go:build octet_purego

package binary

// A scratchRef is a scratch and a pointer to itself, which tells a copy from
// the original. The pointer moves every chain to the heap.
type scratchRef struct {
	s    scratch
	self *scratchRef
}

// acquire returns a scratch that nobody else uses until it is released. If
// the Writer or Reader panics, or uses the same chain again, it is not released
// in time, and the next to acquire gets another.
func (r *scratchRef) acquire() *scratch {
	if r.self != r {
		r.s, r.self = scratch{}, r
	}
	if r.s.busy {
		return &scratch{busy: true}
	}
	r.s.busy = true
	return &r.s
}

// release gives back what acquire returned.
func (r *scratchRef) release(s *scratch) { s.busy = false }
