package buffer

import (
	"strconv"

	"github.com/octet-go/octet/internal/check"
)

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
		p := b.Copy()
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

// maxRefs bounds the references beside the first.
const maxRefs = 1 << 40

// RefValue returns the count: the number of references beside the first. It is
// negative if the Buffer is in the pool.
func (b *Buffer) RefValue() int64 { return value(b.refs.n.Load()) }

// RefInc adds a reference: Release must be called once more.
func (b *Buffer) RefInc() { b.refs.n.Add(1) }

// RefDec removes a reference. Unlike Release, it never ends the use of the Buffer.
//
// Deprecated: use [Buffer.Release].
func (b *Buffer) RefDec() { b.refs.n.Add(-1) }

// RefAdd adds delta references. The count stays between -2^40 and 2^40: RefAdd
// panics if it would not.
//
// Deprecated: use [Buffer.RefInc] and [Buffer.Release].
func (b *Buffer) RefAdd(delta int64) {
	if n := b.refs.add(delta); !inRange(delta) || !inRange(n) {
		b.refs.n.Add(-delta)
		tooManyRefs("RefAdd", delta)
	}
}

// RefStore sets the count. It does nothing if the Buffer is in the pool, and panics
// if count is not between -2^40 and 2^40.
//
// Deprecated: use [Buffer.RefInc] and [Buffer.Release].
func (b *Buffer) RefStore(count int64) {
	if !inRange(count) {
		tooManyRefs("RefStore", count)
	}
	for {
		n := b.refs.n.Load()
		s := state(n)
		if s < 0 || b.refs.n.CompareAndSwap(n, s+count) {
			return
		}
	}
}

// RefReset sets the count to 0.
//
// Deprecated: use [Buffer.Release] for each reference.
func (b *Buffer) RefReset() { b.RefStore(0) }

func inRange(n int64) bool { return -maxRefs <= n && n <= maxRefs }

func tooManyRefs(method string, n int64) {
	panic("buffer: " + method + " of " + strconv.FormatInt(n, 10) + ": the count would not be between -2^40 and 2^40")
}

// RefSwapDec removes a reference and returns what the count was before, or a
// negative number if the Buffer is in the pool.
//
// Deprecated: use [Buffer.Release].
func (b *Buffer) RefSwapDec() int64 { return value(b.refs.n.Add(-1) + 1) }
