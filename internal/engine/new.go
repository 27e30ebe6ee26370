package engine

import (
	"math/bits"
	"strconv"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// New returns a slice of length size, or 0 if size is negative, whose capacity
// is its class, or more if it is a loan (see lending); above the largest size, of capacity
// size. It panics if no slice can be that large.
func (p *Pool) New(size int) []byte {
	if rt.Pinned {
		if uintptr(size) <= p.newPinned.Load() {
			// Little is alive across the calls, so that little is spilled.
			pid := rt.Pin()
			k := uint32(bits.Len32(uint32(uintptr(size-1) | p.newMask.Load())))
			c := &p.heads[2*(k%magazine.PlainClasses)]
			if l := c.Record(pid); l != nil {
				if x := l.Pop(); x.Some() {
					rt.Unpin()
					return x.Slice(size, c.Capacity)
				}
				if x := p.lendHere(&p.row, k, pid, size, 0); x.Some() {
					return x.Slice(size, x.capacity)
				}
			} else {
				rt.Unpin()
			}
		} else if uintptr(size) <= p.newStepped.Load() {
			// The same with steps: a function for both would not be inlined.
			pid := rt.Pin()
			k := p.grid.StepWith(max(uint32(size-1), uint32(p.newMask.Load())))
			c := &p.stepped[2*(k%magazine.SteppedClasses)]
			if l := c.Record(pid); l != nil {
				if x := l.Pop(); x.Some() {
					rt.Unpin()
					return x.Slice(size, c.Capacity)
				}
				if x := p.lendHere(&p.row, k, pid, size, 0); x.Some() {
					return x.Slice(size, x.capacity)
				}
			} else {
				rt.Unpin()
			}
		}
	}
	return p.newSlow(size)
}

// newSlow is New without the fast path.
func (p *Pool) newSlow(size int) []byte {
	if p.limiter != nil {
		return p.NewAdmitted(size, 0)
	}
	return p.serve(&request{size: size, lend: true})
}

// A request is what is asked for.
type request struct {
	size    int
	lend    bool  // it may get a loan
	counted int64 // bytes that were counted against a limit
}

// serve returns a slice for r.
func (p *Pool) serve(r *request) []byte {
	if check.Current() != check.Off {
		return p.newChecked(r)
	}
	return p.newUnchecked(r)
}

// newUnchecked is serve for a slice that is not checked.
func (p *Pool) newUnchecked(r *request) []byte {
	s := p.size.Load()
	if s == nil || !s.serves(r.size) {
		return p.newOutside(r.size)
	}
	r.size = max(r.size, 0)
	c := p.class(&p.row, s.classOf(r.size))
	return p.sliceOf(c, p.take(c, r), r.size)
}

// sliceOf returns x, taken for a request of class c, as a slice of length size, or a new one
// if x is none.
func (p *Pool) sliceOf(c *class, x loan, size int) []byte {
	var b []byte
	if x.Some() && !check.Strict() { // else the mode has just changed, and x may be tracked
		b = x.Slice(size, x.capacity)
	} else {
		b = rt.DirtyBytes(int(c.Capacity))[:size]
	}
	if sanitize.Enabled {
		sanitize.Reused(b)
	}
	if p.clear == ClearOnGet {
		clear(b)
	}
	return b
}

// NewOwned is New for a caller that answers for the slice in what it hands out, and charges it.
func (p *Pool) NewOwned(size int) []byte {
	if check.Strict() {
		b := p.newChecked(&request{size: size})
		check.Own(b)
		return b
	}
	if s := p.size.Load(); s != nil && uint(size) <= uint(s.fit) && p.clear == ClearNever && p.limiter == nil {
		if x := p.takeHere(&p.row, uint32(p.Class(size)), size, 0); x.Some() {
			return x.Slice(size, x.capacity)
		}
	}
	return p.newUnchecked(&request{size: size, lend: p.limiter == nil})
}

// newOutside returns a slice that no class has room for.
func (p *Pool) newOutside(size int) []byte {
	if uint64(max(size, 0)) > maxSlice {
		panic("bytespool: size " + strconv.Itoa(size) + " is larger than any slice can be")
	}
	size = max(size, 0)
	p.out.count.Add(1)
	p.out.bytes.Add(uint64(size))
	b := p.allocate(size)
	if p.clear == ClearOnGet {
		clear(b)
	}
	return b
}

// take takes an item for a request of class c, and counts that: from the caller's record, from the
// depot, in the portable engine from other stripes, or as a loan.
func (p *Pool) take(c *class, r *request) (x loan) {
	y, l := c.AtHand()
	if !y.Some() {
		y = c.Stored(l)
	}
	if x = (loan{y, c.Capacity}); !x.Some() && r.lend {
		x = p.lend(c, r)
	}
	if x.Some() {
		p.arm() // age may have looked while the rest of a stack was nowhere
	} else {
		c.CountMiss()
	}
	return x
}

// takeHere takes an item for a request of class k of r for size bytes, from the stacks of the caller's
// processor. It counts loans as lendHere does, and nothing for an item of class k.
func (p *Pool) takeHere(r *row, k uint32, size int, counted int64) (x loan) {
	if rt.Pinned {
		pid, c := rt.Pin(), r.head(k)
		if l := c.Record(pid); l != nil {
			if x = (loan{l.Pop(), c.Capacity}); !x.Some() {
				return p.lendHere(r, k, pid, size, counted)
			}
		}
		rt.Unpin()
	}
	return x
}
