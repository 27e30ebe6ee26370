package buffer

import (
	"github.com/octet-go/octet/internal/earlier"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
)

// How a Buffer grows: the unread content moves to a larger array, and what was
// read is dropped. The new array is taken from an idle Buffer that keeps one of the
// class, or from the pool's slices. The old one takes its place: that Buffer keeps
// it, or the pool gets it. Where the capacity was explicit, the pool always does, and
// learns to serve requests for as much with what has grown. But see tenure for an
// array that others may look at.
//
// A Buffer that asks (its streak is asks) grows below a limit only by what it is admitted:
// what the new array has more than the old one. While the content moves, both count. Methods
// without an error do not ask.

// An outgrown is an array that a Buffer has outgrown and not given up yet, because
// what is being written may lie in it.
type outgrown struct {
	array []byte
	spare *Buffer // the idle Buffer that the new array came from, if any
}

// Guarantee makes room for n more bytes: Available returns at least n then. It succeeds at a
// limit too, and counts. It panics if n is negative, and with [ErrTooLarge] if the content
// would exceed 2 GiB - 1.
func (b *Buffer) Guarantee(n int) {
	if n < 0 {
		panic(earlier.ErrGrow)
	}
	if n > b.Available() {
		b.giveUp(b.makeRoom(n))
	}
}

// tryGuarantee is Guarantee for a method that returns an error.
func (b *Buffer) tryGuarantee(n int) error {
	o, err := b.tryMakeRoom(n)
	if err == nil {
		b.giveUp(o)
	}
	return err
}

// Grow lengthens the content by n bytes, which show what the memory had before, perhaps
// another user's secrets: overwrite all of them. Grow of a bytes.Buffer only makes room,
// as [Buffer.Guarantee] does. Grow panics as that does.
//
// Deprecated: use [Buffer.Guarantee], and lengthen B.
func (b *Buffer) Grow(n int) {
	b.Guarantee(n)
	b.B = b.B[:len(b.B)+n]
}

// makeRoom moves the unread content to an array with room for n more bytes. The
// caller must call giveUp with the result.
func (b *Buffer) makeRoom(n int) outgrown {
	o, _ := b.moveToRoom(n, false)
	return o
}

// tryMakeRoom is makeRoom for a method that returns an error.
func (b *Buffer) tryMakeRoom(n int) (outgrown, error) { return b.moveToRoom(n, b.streak == asks) }

// moveToRoom is makeRoom, which asks for what b grows by if ask is set.
func (b *Buffer) moveToRoom(n int, ask bool) (o outgrown, err error) {
	u := b.unread()
	if n > maxSize-len(u) {
		panic(ErrTooLarge)
	}
	if b.refs.idle() {
		b.stale()
	}
	s := b.source()
	size := grownSize(len(u)+n, cap(b.B), len(b.B)-len(u), s.engine)
	k, admitted := s.engine.Class(size), int64(0)
	if ask {
		comesBack := 0
		if !b.tenure.borrows() {
			comesBack = cap(b.B)
		}
		if k, admitted, err = s.admit(size, comesBack); err != nil {
			return outgrown{}, err
		}
	}
	var array []byte
	defer func() { s.engine.Settle(admitted, cap(array)) }() // deferred: making an array may panic
	o.array = b.B
	if o.spare, _ = s.objects.Take(k); o.spare != nil {
		array, o.spare.B = o.spare.B[:0], nil
		if sanitize.Enabled {
			sanitize.Reused(array)
		}
	} else {
		array = s.engine.NewOwned(size, ask)[:0]
	}
	b.B = append(array, u...)
	b.off, b.last = 0, 0
	return o, nil
}

// grownSize returns the size of the array to ask for when need bytes do not fit
// into an array of the given capacity, in which the first read bytes were read. It
// makes the cost of many small writes a constant per byte: classes double, and above
// the largest one it adds a quarter. Where dropping what was read would be enough,
// the new array is no smaller, and larger if more than half of it would be full:
// otherwise a Buffer that is nearly full all the time would move with each write.
func grownSize(need, capacity, read int, p *engine.Pool) int {
	if read > 0 {
		if need <= capacity/2 {
			return capacity
		}
		need = max(need, min(capacity, maxSize-1)+1)
	}
	if _, largest := p.Sizes(); need > largest {
		need = max(need, min(capacity, maxSize-capacity/4)+capacity/4)
	}
	return need
}

// giveUp releases what b has outgrown.
func (b *Buffer) giveUp(o outgrown) {
	s := b.source()
	if b.tenure.borrows() || b.refs.shared() {
		b.leave(o.array)
		if o.spare != nil {
			s.objects.PutBare(o.spare)
		}
		return
	}
	b.settle()
	switch {
	case b.streak < explicit && o.spare != nil:
		o.spare.B = o.array
		s.keep(o.spare)
	case b.streak < explicit: // what it needs is learnt: see usage
		s.engine.ReleaseOwned(o.array)
	default:
		if o.spare != nil {
			s.objects.PutBare(o.spare)
		}
		if !s.engine.Outgrown(o.array, cap(b.B)) {
			s.engine.ReleaseOwned(o.array)
		}
	}
}

// appendSlow appends p, which may be part of b, where there is no room.
func (b *Buffer) appendSlow(p []byte) (int, error) {
	o := b.makeRoom(len(p))
	b.B = append(b.B, p...)
	b.giveUp(o)
	return len(p), nil
}

// writeSlow is appendSlow for a method that returns an error.
func (b *Buffer) writeSlow(p []byte) (int, error) {
	o, err := b.tryMakeRoom(len(p))
	if err != nil {
		return 0, err
	}
	b.B = append(b.B, p...)
	b.giveUp(o)
	return len(p), nil
}

// appendStringSlow is appendSlow for a string, which may be part of b too.
func (b *Buffer) appendStringSlow(s string) (int, error) {
	o := b.makeRoom(len(s))
	b.B = append(b.B, s...)
	b.giveUp(o)
	return len(s), nil
}

// writeStringSlow is writeSlow for a string, which may be part of b too.
func (b *Buffer) writeStringSlow(s string) (int, error) {
	o, err := b.tryMakeRoom(len(s))
	if err != nil {
		return 0, err
	}
	b.B = append(b.B, s...)
	b.giveUp(o)
	return len(s), nil
}

// appendByteSlow is appendSlow for a byte.
func (b *Buffer) appendByteSlow(c byte) error {
	_, err := b.appendSlow([]byte{c})
	return err
}

// writeByteSlow is writeSlow for a byte.
func (b *Buffer) writeByteSlow(c byte) error {
	_, err := b.writeSlow([]byte{c})
	return err
}
