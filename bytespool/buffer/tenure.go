package buffer

import (
	"sync"

	"github.com/octet-go/octet/internal/check"
)

// A tenure says whose array a Buffer shows, and with that what its owner is.
//
//	owns      B has an array of its own, or none. There is no owner
//	retains   the same; owner has the array that B showed before, and others may look at it
//	shares    B shows the array of owner, which Share was called of
//	lends     B shows the array that its bodies show; owner is the lender
//	over      the Buffer is buried, and its B shows what was released
//
// A Buffer has a reference to its owner, which it gives up when it changes the tenure. So
// that its bodies stay right whatever becomes of the Buffer, which may be released and
// gotten again, the array moves out of it. Buffer and bodies have references to a lender.
// It is a Buffer that nobody else has, and that is never used again after its last
// reference, so that GetBody can ask it whether the content is still there. A lender is
//
//	lender     and its owner is a keeper, a Buffer that has the array and nobody else has
//	sublender  and its owner is the Buffer whose array a share of it has lent
//
// These are all transitions of a Buffer's tenure, and who makes them:
//
//	owns, retains → lends   lend, with a new keeper, to which array and owner go
//	shares → lends          lend, with a sublender
//	owns, retains           leave: others may look at the array, which is left to the collector
//	shares → owns           leave
//	shares → retains        leave, if others may look at the array
//	lends → owns            leave; the array goes to the pool with the last body
//	lends → owns, retains   leave, if others may look at the array: it is taken from the
//	                        keeper and left to the collector, or stays with the owner of a share
//	retains → owns          settle, once nobody else has references
//	any → owns              end, by the last owner
//	owns → over             bury
//
// While a Buffer has other references, those who have them may look at its array, even
// after the Buffer has outgrown it, and nobody knows for how long. So nothing that they
// may see goes to the pool before the last of them. But what is outgrown must not pile up
// until then: so what a Buffer retains is one Buffer, which it was a share of, and nothing
// that bodies have shown.
//
// Only the goroutine that may write to the Buffer calls leave and settle. Those who have
// references may call lend and share at the same time, which the mutex lending then keeps
// apart. All of this happens before the last owner's end: see refCount.
//
// Tests explore the interleavings of an edited copy of this file: tenure_interleave_test.go.
type tenure uint8

const (
	owns tenure = iota
	retains
	shares // from here on, B must not be written to
	lends
	over

	lender
	sublender
)

// lending is held by lend and share of a Buffer that others have references to.
var lending sync.Mutex

// borrows reports whether B shows an array that is not the Buffer's own.
func (t tenure) borrows() bool { return t >= shares }

// lend returns the lender of b's array, with one more reference.
func (b *Buffer) lend() *Buffer {
	if b.refs.shared() {
		lending.Lock()
		defer lending.Unlock()
	} else {
		b.settle()
	}
	if b.tenure != lends {
		l := &Buffer{owner: b.owner, use: use{tenure: sublender}}
		if b.tenure != shares {
			l.owner, l.tenure = b.keeper(), lender
		}
		b.owner, b.tenure = l, lends
	}
	b.owner.refs.add(1)
	return b.owner
}

// keeper returns a Buffer that has the array of b, and what b retains.
func (b *Buffer) keeper() *Buffer {
	k := b.source().fresh(0, false)
	k.B, k.owner, k.use = b.B, b.owner, b.use
	return k
}

// share returns the Buffer that counts a new share of b, with one more reference: b, or if
// it is a share itself, the one whose array it shows. So shares of shares form no chain.
func (b *Buffer) share() *Buffer {
	if b.refs.shared() {
		lending.Lock()
		defer lending.Unlock()
	} else {
		b.settle()
	}
	o := b
	switch {
	case b.tenure == shares:
		o = b.owner
	case b.tenure == lends && b.owner.tenure == sublender:
		o = b.owner.owner
	}
	o.refs.add(1)
	return o
}

// leave gives up the array that b has outgrown and that others may look at, or that is not
// its own.
func (b *Buffer) leave(array []byte) {
	from, others := b.owner, b.refs.shared()
	switch b.tenure {
	case owns, retains:
		b.abandon(array)
	case shares:
		if others {
			b.tenure = retains
			return
		}
		b.owner, b.tenure = nil, owns
		from.Release()
	case lends:
		b.owner, b.tenure = nil, owns
		if others {
			b.owner = from.owner
			if from.tenure == lender {
				k := from.owner
				b.abandon(k.B)
				k.B = nil
				b.owner = k.owner
			}
			if b.owner != nil {
				b.owner.refs.add(1)
				b.tenure = retains
			}
		}
		from.Release()
	}
}

// settle gives up what b retains. Nobody else has references to b.
func (b *Buffer) settle() {
	if o := b.owner; b.tenure == retains {
		b.owner, b.tenure = nil, owns
		o.Release()
	}
}

// abandon leaves an array of b to the collector.
func (b *Buffer) abandon(array []byte) {
	check.Own(array) // otherwise it would be reported as a leak
	b.source().engine.Abandon(cap(array))
}

// endTenure gives up the owner of b, whose use ends, and what b shows of it, and reports
// whether that put an array into the pool.
func (b *Buffer) endTenure() (ok bool) {
	o := b.owner
	if o == nil {
		return false
	}
	if b.tenure.borrows() {
		b.B = nil
	}
	b.owner, b.tenure = nil, owns
	return o.release()
}
