package buffer

import "github.com/octet-go/octet/internal/check"

// While others have references to a Buffer they may look at its array, and nobody
// knows for how long they do after it has outgrown it. So such an array is left to
// the collector.
//
// A Buffer that Share made shows the array of owner (borrowed is set), to which it
// has a reference. When it outgrows that it gives the reference back; but if others
// have references to it by then, who may look at that array, it does so when it
// ends.

// Share returns another Buffer with the content that was not read, in the same
// memory: a second owner. Each is released on its own, and the array goes to the
// pool with the last of them.
//
// What is shared is to be read only: nobody may change bytes that it shows. Both
// may be appended to; and writing to the new Buffer, after a Reset or not, never
// writes to the shared array but moves its content to one of its own. To shorten
// it use Reset or Truncate, and do not reslice its B: what is written then
// overwrites what the others see.
//
// The count of b is one higher until the new Buffer is released.
func (b *Buffer) Share() *Buffer {
	u := b.unread()
	owner := b
	if b.borrowed && b.owner != nil {
		owner = b.owner
	}
	owner.RefInc()
	s := b.source().fresh(0, false, 0)
	s.B, s.owner, s.borrowed, s.streak = u[:len(u):len(u)], owner, true, explicit
	return s
}

// Detach takes the content that was not read out of the buffer, without copying
// it, and returns it. It belongs to the caller, who may release it, for example
// with bytespool.Release. The buffer is empty then, and still to be released.
//
// If others have references to the array, they keep it: then Detach returns a
// copy.
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

// leave gives up the array that b has outgrown and others may look at.
func (b *Buffer) leave(array []byte) {
	switch {
	case !b.borrowed:
		check.Own(array) // or it would count as lost
		b.source().engine.Abandon(cap(array))
	case b.refs.shared():
		b.borrowed = false
	default:
		owner := b.owner
		b.owner, b.borrowed = nil, false
		owner.Release()
	}
}
