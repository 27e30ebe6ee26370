package buffer

import (
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
)

// Put is b.Release() without a result.
func Put(b *Buffer) { b.Release() }

// Release is b.Release().
func Release(b *Buffer) bool { return b.Release() }

// Put is [Buffer.Release] without a result.
func (b *Buffer) Put() { b.Release() }

// Close is [Buffer.Release] for an [io.Closer]: it returns [ErrClose] where
// Release returns false.
func (b *Buffer) Close() error {
	if b.Release() {
		return nil
	}
	return ErrClose
}

// Release gives one reference back. Whoever gives back the last one, which finds
// the count at 0, ends the buffer: it goes to the pool with its array, and
// nobody may use it any more. Only that call returns true, and only if the array
// went to the pool too: false means that others still have references, that the
// Buffer is in the pool already, or that its array did not fit the pool because
// there was none, or it is smaller or larger than what the pool has, or the
// pool has too much idle memory.
//
// Releasing a Buffer that is in the pool does nothing. One that was handed out
// again is its new owner's, and an old pointer to it cannot be told from the
// owner's; and two goroutines must not release the last reference at the same
// time. Package [github.com/octet-go/octet/checked] finds both.
//
// A Buffer that the program declared itself is not put in the pool: it gives its
// array away, and is empty and ready to use. Release of a nil Buffer returns false.
func (b *Buffer) Release() bool {
	if b == nil {
		return false
	}
	// In this order: owner and home are the last owner's to read.
	if b.refs.last() && b.owner == nil && b.home != nil && b.refs.end() {
		// This is put, without a call.
		s := b.home
		if s.usage.steady(b) {
			b.streak = 0
		} else {
			s.usage.learn(s.engine, b)
		}
		if sanitize.Enabled {
			return s.keep(b)
		}
		o := s.objects.Put(b, cap(b.B))
		return o == engine.Kept || s.keepBare(b, o)
	}
	return b.releaseSlow()
}

// releaseSlow is Release for everything.
func (b *Buffer) releaseSlow() bool {
	if b.refs.release() {
		return b.end()
	}
	b.releasedAgain()
	return false
}

// end ends b, which has no references any more, and so is the caller's.
func (b *Buffer) end() (ok bool) {
	tracked := b.refs.buried()
	if tracked && !b.endTracked() {
		return false
	}
	if owner := b.owner; owner != nil {
		if b.borrowed {
			b.B, b.borrowed = nil, false
		}
		b.owner = nil
		ok = owner.Release()
	}
	switch {
	case tracked:
		return b.bury() || ok
	case b.home != nil:
		return b.home.put(b) || ok
	}
	ok = current().engine.Release(b.B) || ok
	b.B = nil
	b.reset()
	b.refs.n.Store(0) // the program's, and ready to use
	return ok
}

// put keeps b, whose use has ended, and reports whether its array went to the pool
// too.
func (s *source) put(b *Buffer) (ok bool) {
	s.usage.learn(s.engine, b)
	return s.keep(b)
}

// keep puts b, which nobody has, into the pool, and reports whether its array went
// there too.
func (s *source) keep(b *Buffer) (ok bool) {
	if sanitize.Enabled {
		sanitize.Released(b.B)
	}
	o := s.objects.Put(b, cap(b.B))
	return o == engine.Kept || s.keepBare(b, o)
}

// keepBare is keep where the engine did not take b with its array.
func (s *source) keepBare(b *Buffer, o engine.Outcome) (ok bool) {
	if o == engine.Foreign {
		if sanitize.Enabled {
			sanitize.Reused(b.B) // the pool releases it
		}
		ok = s.engine.Release(b.B)
	}
	b.B = nil
	s.objects.PutBare(b)
	return ok
}
