package magazine

import (
	"time"
	"weak"
)

// A retired stack was idle after a collection. Its record takes it back when it needs one.
// Until then it is held, or only until the next collection: then by a weak pointer alone.
type retired struct {
	held  *stack
	weak  weak.Pointer[stack] // if held is nil
	since time.Duration       // when it was retired
	items int                 // in a depot: how many it has
}

// retire returns s, retired as keep says. It has so many bytes.
func retire(s *stack, bytes int, keep *Keep) *retired {
	r := &retired{since: keep.Now}
	if keep.holds(keep.Now, bytes) {
		r.held = s
	} else {
		r.weak = weak.Make(s)
	}
	return r
}

// take returns the stack, or nil if it was collected. It may park: not while pinned.
func (r *retired) take() *stack {
	if r.held != nil {
		return r.held
	}
	return r.weak.Value()
}

// stays reports whether r is held, and may be for longer.
func (r *retired) stays(bytes int, keep *Keep) bool {
	return r.held != nil && keep.holds(r.since, bytes)
}

// Keep says what a step may hold.
type Keep struct {
	Now    time.Duration // since some moment
	Retain time.Duration // how long what is retired may be held
	Room   *int64        // bytes that may be held in all; what is held is subtracted
}

// holds reports whether so many bytes may be held that were retired at the given time.
func (k *Keep) holds(since time.Duration, bytes int) bool {
	if k.Now-since >= k.Retain || int64(bytes) > *k.Room {
		return false
	}
	*k.Room -= int64(bytes)
	return true
}
