package buffer

import (
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// Release gives up one reference. The call that gives up the last one ends the use of the
// Buffer: it returns to the pool with its array, and nobody may use it any more. The pool
// does not keep an array that is smaller or larger than its classes, or for which too much
// memory is idle.
//
// Releasing a Buffer that is in the pool does nothing. But once it was handed out
// again, a release through an old pointer looks like one by its new owner. And two
// goroutines must not release the last reference at the same time. Package
// [github.com/octet-go/octet/checked] finds both mistakes.
//
// A Buffer that the program declared itself is not put in the pool: its array is, and
// it is empty and ready to use again. Release of a nil Buffer does nothing.
func (b *Buffer) Release() { b.release() }

// release is Release. It reports whether it was the last and the pool kept the array.
func (b *Buffer) release() bool {
	if b == nil {
		return false
	}
	// In this order: only the last owner may read owner and home.
	if b.refs.last() && b.owner == nil && b.home != nil && b.refs.end() {
		// This is keep, without a call.
		if s, n := b.home, cap(b.B); rt.Pinned && n > 0 && check.Displaced(b.B) == 0 {
			c := s.recent.Load()
			if c == nil || uintptr(n)-c.Capacity > c.Beyond {
				c = s.classOf(n)
			}
			if c != nil {
				if l := c.Record(rt.Pin()); l != nil && s.objects.Push(l, b) {
					rt.Unpin()
					return true
				}
				rt.Unpin()
			}
		}
		return b.home.keep(b)
	}
	return b.releaseSlow()
}

// classOf returns the class that keeps arrays of n bytes, which is recent from now on, or nil.
func (s *source) classOf(n int) *engine.Head {
	c := s.objects.HeadOf(n)
	s.recent.Store(c)
	return c
}

// releaseSlow is release without the fast path.
func (b *Buffer) releaseSlow() bool {
	last, none := b.refs.release()
	if last {
		return b.end()
	}
	if none {
		b.releasedAgain()
	}
	return false
}

// end ends the use of b, to which the caller has released the last reference.
func (b *Buffer) end() (ok bool) {
	tracked := b.refs.buried()
	if tracked && !b.endTracked() {
		return false
	}
	was := b.tenure
	ok = b.endTenure()
	switch {
	case was >= lender:
		return ok // and never used again
	case tracked:
		return b.bury() || ok
	case b.home != nil:
		return b.home.keep(b) || ok
	}
	ok = shared.engine.ReleaseOwned(b.B) || ok
	*b = Buffer{} // the program's, and ready to use
	return ok
}

// keep puts b, whose use has ended, into the pool, and reports whether the pool kept its array.
func (s *source) keep(b *Buffer) (ok bool) {
	if sanitize.Enabled {
		sanitize.Released(b.B)
	}
	o := engine.Foreign
	if !check.Sees(b.B) {
		o = s.objects.Put(b, cap(b.B))
	}
	return o == engine.Kept || s.keepBare(b, o)
}

// keepBare is keep where the engine did not keep b with its array.
func (s *source) keepBare(b *Buffer, o engine.Outcome) (ok bool) {
	if o == engine.Foreign {
		if sanitize.Enabled {
			sanitize.Reused(b.B) // the pool releases it
		}
		ok = s.engine.ReleaseOwned(b.B)
	}
	b.B = nil
	s.objects.PutBare(b)
	return ok
}
