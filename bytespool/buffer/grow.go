package buffer

import "github.com/octet-go/octet/internal/engine"

// How a Buffer grows: the unread content moves to a larger array, and what was
// read is dropped. The new array is one of the pool's slices, and the old one becomes one. But see
// tenure for an array that others may look at.
//
// A Buffer that asks grows below a limit only by what it is admitted: the new array, since the old one
// counts until the content has moved. Methods without an error do not ask.

// Grow makes room for n more bytes: Available returns at least n then. It succeeds at a
// limit too, and counts. It panics if n is negative, and with [ErrTooLarge] if the content
// would exceed 2 GiB - 1.
func (b *Buffer) Grow(n int) {
	if n < 0 {
		panic("buffer: Grow: negative count")
	}
	if n > b.Available() {
		b.giveUp(b.makeRoom(n))
	}
}

// tryGrow is Grow for a method that returns an error.
func (b *Buffer) tryGrow(n int) error {
	old, err := b.tryMakeRoom(n)
	if err == nil {
		b.giveUp(old)
	}
	return err
}

// makeRoom moves the unread content to an array with room for n more bytes, and returns the old one,
// in which what is being written may lie. The caller must call giveUp with it.
func (b *Buffer) makeRoom(n int) (old []byte) {
	old, _ = b.moveToRoom(n, false)
	return old
}

// tryMakeRoom is makeRoom for a method that returns an error.
func (b *Buffer) tryMakeRoom(n int) (old []byte, err error) { return b.moveToRoom(n, b.asks) }

// moveToRoom is makeRoom, which asks for the new array if ask is set.
func (b *Buffer) moveToRoom(n int, ask bool) (old []byte, err error) {
	u := b.unread()
	if n > maxSize-len(u) {
		panic(ErrTooLarge)
	}
	if b.refs.idle() {
		b.stale()
	}
	p := b.source().engine
	size, admitted := grownSize(len(u)+n, cap(b.B), len(b.B)-len(u), p), int64(0)
	if ask {
		if admitted, err = p.Admit(size); err != nil {
			return nil, err
		}
	}
	var array []byte
	defer func() { p.Settle(admitted, cap(array)) }() // deferred: making an array may panic
	array = p.NewOwned(size)[:0]
	old, b.B = b.B, append(array, u...)
	b.off, b.last = 0, 0
	return old, nil
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

// giveUp releases an array that b has outgrown.
func (b *Buffer) giveUp(old []byte) {
	if b.tenure.borrows() || b.refs.shared() {
		b.leave(old)
		return
	}
	b.settle()
	b.source().engine.ReleaseOwned(old)
}

// appendSlow appends p, which may be part of b, where there is no room.
func (b *Buffer) appendSlow(p []byte) (int, error) {
	old := b.makeRoom(len(p))
	b.B = append(b.B, p...)
	b.giveUp(old)
	return len(p), nil
}

// writeSlow is appendSlow for a method that returns an error.
func (b *Buffer) writeSlow(p []byte) (int, error) {
	old, err := b.tryMakeRoom(len(p))
	if err != nil {
		return 0, err
	}
	b.B = append(b.B, p...)
	b.giveUp(old)
	return len(p), nil
}

// writeStringSlow is writeSlow for a string, which may be part of b too.
func (b *Buffer) writeStringSlow(s string) (int, error) {
	old, err := b.tryMakeRoom(len(s))
	if err != nil {
		return 0, err
	}
	b.B = append(b.B, s...)
	b.giveUp(old)
	return len(s), nil
}

// writeByteSlow is writeSlow for a byte.
func (b *Buffer) writeByteSlow(c byte) error {
	_, err := b.writeSlow([]byte{c})
	return err
}
