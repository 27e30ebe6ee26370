package buffer

import "github.com/octet-go/octet/internal/check"

// While others have references to a Buffer, they may look at its array, even after
// the Buffer has outgrown it, and nobody knows for how long. So an array that is
// outgrown then is left to the collector.
//
// A Buffer that Share returned shows the array of its owner (borrowed is set), to
// which it has a reference. It gives up that reference when it outgrows the array; or
// at the end of its use, if by then others have references to it and may look at the
// array.

// Share returns another Buffer with the unread content, in the same memory. Each of
// the two is released on its own; the array returns to the pool with the last one.
//
// Shared bytes are read-only: nobody may change them. Both Buffers may be appended
// to. Writing to the new one never writes to the shared array, even after a Reset,
// but moves its content to an array of its own. To shorten the new Buffer, use Reset
// or Truncate and do not reslice its B: a write would then overwrite what the others
// see.
//
// The count of b is one higher until the new Buffer is released.
func (b *Buffer) Share() *Buffer {
	u := b.unread()
	if b.refs.shared() {
		lending.Lock()
		defer lending.Unlock()
	}
	owner := b
	if b.borrowed && b.owner != nil {
		owner = b.owner
	}
	owner.RefInc()
	s := b.source().fresh(0, 0, false)
	s.B, s.owner, s.borrowed, s.streak = u[:len(u):len(u)], owner, true, b.explicit()
	return s
}

// Detach removes the unread content from the Buffer, with the array, and returns it.
// It belongs to the caller, who may release it, for example with bytespool.Release.
// The Buffer is empty after that, and must still be released.
//
// If others have references to the array, they keep it, and Detach returns a copy.
func (b *Buffer) Detach() []byte {
	if b.borrowed || b.refs.shared() {
		p := b.Copy()
		o := outgrown{array: b.B}
		b.Reset()
		b.B = nil
		b.giveUp(o)
		return p
	}
	p := b.B[:copy(b.B, b.unread())]
	b.Reset()
	b.B = nil
	check.Disown(p)
	return p
}

// leave gives up the array that b has outgrown and that others may look at.
func (b *Buffer) leave(array []byte) {
	switch {
	case !b.borrowed:
		check.Own(array) // otherwise it would be reported as a leak
		b.source().engine.Abandon(cap(array))
	case b.refs.shared():
		b.borrowed = false
	default:
		owner := b.owner
		b.owner, b.borrowed = nil, false
		owner.Release()
	}
}
