package buffer

import "github.com/octet-go/octet/internal/check"

// Share returns another Buffer with the unread content, in the same memory. Each of
// the two is released on its own; the array returns to the pool with the last one.
//
// Shared bytes are read-only: nobody may change them. Both Buffers may be appended
// to. Writing to the new one never writes to the shared array, even after a Reset,
// but moves its content to an array of its own. To shorten the new Buffer, use Reset
// or Truncate and do not reslice its B: a write would then overwrite what the others
// see.
//
// The count of b is one higher until the new Buffer is released, or has moved. If b is
// itself a share, that of the Buffer that it is a share of is, and b may be released.
func (b *Buffer) Share() *Buffer {
	u := b.unread()
	owner := b.share()
	s := b.source().fresh(0, false)
	s.B, s.owner, s.tenure, s.asks = u[:len(u):len(u)], owner, shares, b.asks
	return s
}

// Detach removes the unread content from the Buffer, with the array, and returns it.
// It belongs to the caller, who may release it, for example with bytespool.Release.
// The Buffer is empty after that, and must still be released.
//
// If others have references to the array, they keep it, and Detach returns a copy.
func (b *Buffer) Detach() []byte {
	if b.tenure.borrows() || b.refs.shared() {
		p := b.source().engine.New(b.Len())
		copy(p, b.unread())
		old := b.B
		b.Reset()
		b.B = nil
		b.giveUp(old)
		return p
	}
	p := b.B[:copy(b.B, b.unread())]
	b.Reset()
	b.B = nil
	check.Disown(p)
	return p
}

// RefInc adds a reference: Release must be called once more.
func (b *Buffer) RefInc() { b.refs.n.Add(1) }
