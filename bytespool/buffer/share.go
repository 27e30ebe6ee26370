package buffer

import (
	"bytes"
	"sync"

	"github.com/octet-go/octet/internal/check"
)

// How arrays stay while others use them. A Buffer that others have references to
// keeps the arrays it has outgrown until it ends: each goes into a Buffer of its
// own, whose count is idle, in a chain that begins at link. A Buffer that Share
// made has another's array: lent is set, and link is that other Buffer, to which
// it has a reference. If it grows while others have references to it, all of
// that moves one Buffer down the chain:
//
//	b (B its own) → c (an array outgrown) → d (B lent) → the one who lent it

// shared reports whether there are references to b beside the caller's.
func (b *Buffer) shared() bool {
	n := b.refs.Load()
	return n > mark(n)
}

// retain keeps what b has outgrown until b ends, or gives a lent array back if
// nobody else can see it.
func (b *Buffer) retain(o outgrown) {
	h := b.shelf()
	c := o.spare
	if b.lent && !b.shared() {
		b.unlink()
		if c != nil {
			h.put(c)
		}
		return
	}
	if c == nil {
		c = h.bare()
		c.refs.Store(pooled)
	}
	c.B, c.link, c.lent = o.array, b.link, b.lent
	b.link, b.lent = c, false
}

// unlink ends what link points at, and reports whether that put a lent array
// into the pool.
func (b *Buffer) unlink() (ok bool) {
	l := b.link
	b.link = nil
	if b.lent {
		b.lent = false
		return l.Release()
	}
	if l.lent {
		l.B = nil
	}
	if l.link != nil {
		ok = l.unlink()
	}
	l.home.put(l)
	return ok
}

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
	if b.link != nil && b.lent {
		owner = b.link
	}
	owner.RefInc()
	s := b.shelf().getBare()
	s.B, s.link, s.lent = u[:len(u):len(u)], owner, true
	return s
}

// Detach takes the content that was not read out of the buffer, without copying
// it, and returns it. It belongs to the caller, who may release it, for example
// with bytespool.Release. The buffer is empty then, and still to be released.
//
// If others have references to the array, they keep it: then Detach returns a
// copy.
func (b *Buffer) Detach() []byte {
	if b.lent || b.shared() {
		p := b.Copy()
		o := outgrown{array: b.B}
		b.Reset()
		b.B = nil
		b.retain(o)
		return p
	}
	p := b.B[:copy(b.B, b.unread())]
	b.Reset()
	b.B = nil
	check.Disown(p)
	return p
}

var readers = sync.Pool{New: func() any { return new(bytes.Reader) }}

// GetReader returns a reader of p from a pool. Give it back with [PutReader].
func GetReader(p []byte) *bytes.Reader { return newReader(p, nil) }

// PutReader gives a reader back, which must not be used any more.
func PutReader(r *bytes.Reader) {
	if r != nil {
		putReader(r, nil)
	}
}

// GetReader returns a reader of the content that was not read, and adds a
// reference for it. As long as it is there, the array stays: give it back with
// [Buffer.PutReader]. Any number of readers may be out, in any goroutines. They do
// not see what is appended later, and they do see what is changed.
func (b *Buffer) GetReader() *bytes.Reader {
	b.RefInc()
	return newReader(b.unread(), b)
}

// PutReader gives a reader of [Buffer.GetReader] back and releases its reference:
// the result is that of [Buffer.Release]. If r is nil it does nothing and returns
// false.
func (b *Buffer) PutReader(r *bytes.Reader) bool {
	return r != nil && putReader(r, b) && b.Release()
}

// PutAll gives the readers back and ends the buffer, whatever its count: the
// caller knows that nobody else uses it any more.
func (b *Buffer) PutAll(rs ...*bytes.Reader) {
	for _, r := range rs {
		if r != nil {
			putReader(r, b)
		}
	}
	for {
		n := b.refs.Load()
		m := mark(n)
		if m < 0 || n-m >= gone {
			b.releasedAgain()
			return
		}
		if b.refs.CompareAndSwap(n, ending(m)) {
			b.end()
			return
		}
	}
}
