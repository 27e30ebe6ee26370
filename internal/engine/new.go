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
// is its class; above the largest size, of capacity size. It panics if no slice
// can be that large.
func (p *Pool) New(size int) []byte {
	if rt.Pinned {
		if uintptr(size) <= p.newPinned.Load() {
			// Little is alive across the calls, so that little is spilled.
			pid := rt.Pin()
			c := &p.heads[bits.Len32(uint32(uintptr(size-1)|p.newMask.Load()))%magazine.PlainClasses]
			if l := c.Record(pid); l != nil {
				if x := l.Pop(); x.Some() {
					rt.Unpin()
					return x.Slice(size, c.Capacity)
				}
				if x := p.borrow(&p.row, c, pid, size); x.Some() {
					rt.Unpin()
					return x.Slice(size, x.capacity)
				}
			}
			rt.Unpin()
		} else if uintptr(size) <= p.newStepped.Load() {
			// The same with steps: a function for both would not be inlined.
			pid := rt.Pin()
			c := &p.stepped[p.grid.StepWith(max(uint32(size-1), uint32(p.newMask.Load())))%magazine.SteppedClasses]
			if l := c.Record(pid); l != nil {
				if x := l.Pop(); x.Some() {
					rt.Unpin()
					return x.Slice(size, c.Capacity)
				}
				if x := p.borrow(&p.row, c, pid, size); x.Some() {
					rt.Unpin()
					return x.Slice(size, x.capacity)
				}
			}
			rt.Unpin()
		}
	}
	if uintptr(size) <= p.newStriped.Load() {
		c := &p.heads[bits.Len32(uint32(uintptr(size-1)|p.newMask.Load()))%magazine.PlainClasses]
		if l := c.Stripe(); l != nil {
			x := l.Pop()
			l.Unlock()
			if x.Some() {
				return x.Slice(size, c.Capacity)
			}
		}
	}
	if p.limiter != nil {
		b, _ := p.newLimited(size, false)
		return b
	}
	return p.newSlow(size)
}

// newSlow is New without the fast path. It does not count the slice against a limit.
func (p *Pool) newSlow(size int) []byte {
	if check.Current() != check.Off {
		return p.newChecked(size)
	}
	return p.newUnchecked(p.request(size))
}

// A request is what is asked for.
type request struct {
	size  int
	loans bool  // it may get a loan
	odd   bool  // it may get an odd item
	bytes int64 // that were counted against a limit; a loan counts in full
}

// request returns the request of a program for a slice. Where there is a limit, what has more
// is for who has asked for that: see largerAdmitted.
func (p *Pool) request(size int) request {
	return request{size: size, loans: p.limiter == nil, odd: p.limiter == nil}
}

// newUnchecked is newSlow for a slice that is not checked.
func (p *Pool) newUnchecked(r request) []byte {
	s := p.size.Load()
	if s == nil || !s.serves(r.size) {
		return p.newOutside(r.size)
	}
	r.size = max(r.size, 0)
	return p.newOf(p.class(&p.row, s.classOf(r.size)), r)
}

// newOf is newUnchecked for a size that class c serves.
func (p *Pool) newOf(c *class, r request) []byte { return p.sliceOf(c, p.take(c, r), r.size) }

// sliceOf returns x, taken for a request of class c, as a slice of length size, or a new one
// if x is none.
func (p *Pool) sliceOf(c *class, x loan, size int) []byte {
	var b []byte
	if x.Some() && !check.Strict() { // else the mode has just changed, and x may be tracked
		b = x.Slice(size, x.capacity)
	} else {
		b = rt.DirtyBytes(int(max(x.capacity, c.Capacity)))[:size]
	}
	if sanitize.Enabled {
		sanitize.Reused(b)
	}
	if p.clear == ClearOnGet {
		clear(b)
	}
	return b
}

// NewOwned is New for a caller that answers for the slice in what it hands out, and to
// whose own classes it comes back: so it is no loan. The caller also charges it. If asked
// is set, it has asked a limit for room, and gets no more than it asked for.
func (p *Pool) NewOwned(size int, asked bool) []byte {
	if check.Strict() {
		b := p.newChecked(size)
		check.Own(b)
		return b
	}
	if s := p.size.Load(); s != nil && uint(size) <= uint(s.fit) && p.clear == ClearNever {
		c := p.head(uint32(p.Class(size)))
		if x := takeFrom(c); x.Some() {
			return x.Slice(size, c.Capacity)
		}
	}
	return p.newUnchecked(request{size: size, odd: !asked || p.limiter == nil})
}

// NewLent is NewOwned for an object that gets a slice of the class with the given capacity,
// if that is not 0: see [Objects.TakeSlow].
func (p *Pool) NewLent(size, capacity int, asked bool) []byte {
	if capacity == 0 {
		return p.NewOwned(size, asked)
	}
	c := p.filed(capacity)
	if !p.size.Load().has(c.index) {
		c.lent.Add(1)
	}
	return p.newOf(c, request{size: size, odd: p.limiter == nil})
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

// take takes an item for a request of class c, and counts that: from the caller's record, an
// odd one, as a loan or a larger one, from the depot, or in the portable engine from other
// stripes. If it returns no item, capacity is how much to allocate in place of what c has, 0
// if that is no loan.
func (p *Pool) take(c *class, r request) loan {
	x, l := c.AtHand()
	if x.Some() {
		p.arm() // age may have looked while the rest of its stack was nowhere
		return loan{x, c.Capacity}
	}
	if r.odd {
		if x, capacity := c.Odd(nil); x.Some() {
			return loan{x, capacity}
		}
	}
	if r.loans {
		if y := p.lend(c, r); y.capacity > 0 {
			p.arm() // as above
			return y
		}
	}
	if x := c.Stored(l); x.Some() {
		p.arm() // as above
		return loan{x, c.Capacity}
	}
	p.countMiss(c)
	return loan{}
}
