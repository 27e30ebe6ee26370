package engine

import (
	"math/bits"
	"strconv"

	"github.com/octet-go/octet/internal/check"
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
			c := &p.heads[bits.Len32(uint32(uintptr(size-1)|p.newMask.Load()))%plainClasses]
			if l := c.Record(pid); l != nil {
				if x := l.pop(); x.some() {
					rt.Unpin()
					return x.slice(size, c.capacity)
				}
				if x := p.borrow(&p.row, c, l, pid); x.some() {
					rt.Unpin()
					return x.slice(size, x.capacity)
				}
			}
			rt.Unpin()
		} else if uintptr(size) <= p.newStepped.Load() {
			pid := rt.Pin()
			c := &p.stepped[p.grid.stepWith(max(uint32(size-1), uint32(p.newMask.Load())))%steppedClasses]
			if l := c.Record(pid); l != nil {
				if x := l.pop(); x.some() {
					rt.Unpin()
					return x.slice(size, c.capacity)
				}
				if x := p.borrow(&p.row, c, l, pid); x.some() {
					rt.Unpin()
					return x.slice(size, x.capacity)
				}
			}
			rt.Unpin()
		}
	}
	if uintptr(size) <= p.newStriped.Load() {
		c := &p.heads[bits.Len32(uint32(uintptr(size-1)|p.newMask.Load()))%plainClasses]
		if l := c.stripe(); l != nil && l.mu.TryLock() {
			if c.striped.Load() != 0 { // or the class was closed meanwhile, and what is here may be tracked
				if x := l.pop(); x.some() {
					l.mu.Unlock()
					return x.slice(size, c.capacity)
				}
			}
			l.mu.Unlock()
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
	return p.newUnchecked(size, true)
}

// newUnchecked is newSlow for a slice that is not checked, and may be a loan.
func (p *Pool) newUnchecked(size int, loans bool) []byte {
	s := p.size.Load()
	if s == nil || !s.serves(size) {
		return p.newOutside(size)
	}
	size = max(size, 0)
	return p.newOf(&p.classes[s.classOf(size)], size, loans)
}

// newOf is newUnchecked for a size that class c serves.
func (p *Pool) newOf(c *class, size int, loans bool) []byte {
	x := p.take(c, loans)
	var b []byte
	if x.some() && !check.Strict() { // else the mode has just changed, and x may be tracked
		b = x.slice(size, x.capacity)
	} else {
		b = rt.DirtyBytes(int(max(x.capacity, c.capacity)))[:size]
	}
	if sanitize.Enabled {
		sanitize.Reused(b)
	}
	if p.clear == ClearNew {
		clear(b)
	}
	return b
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
	if p.clear == ClearNew {
		clear(b)
	}
	return b
}

// take takes an item for a request of class c, and counts that: from the caller's record, as
// a loan if loans is set, from the depot, or in the portable engine from other stripes. If it
// returns no item, capacity is how much to allocate in place of what c has, 0 if that is no loan.
func (p *Pool) take(c *class, loans bool) loan {
	l := p.pin(c)
	x := l.take()
	if x.some() {
		l.gets++
	}
	p.unpin(l)
	if !x.some() && loans {
		if y := p.lend(c); y.capacity > 0 {
			return y
		}
	}
	if !x.some() {
		x = p.refill(c, l)
	}
	if !x.some() {
		p.countMiss(c)
		return loan{}
	}
	return loan{x, c.capacity}
}

// refill takes a batch from the depot, leaves all but one of it on the stack of
// the caller, who has just unpinned l, counts a request, and returns that one. Items that
// do not fit return to the depot.
func (p *Pool) refill(c *class, l *Record) (x item) {
	var batch batch
	n := c.depot.take(batch[:max(1, c.stackLimit()/2)])
	if n == 0 {
		if p.portable {
			if x = c.steal(); x.some() {
				p.countMiss(c) // which steal has counted as none
			}
		}
		return x
	}
	if c.serves.Load() < servesFor {
		c.serves.Store(servesFor)
	}
	n--
	x = batch[n]
	l = p.repin(c, l)
	s := l.current()
	if s == &blocked {
		l, s = p.installStack(c, l) // or every get would move a batch to and fro
	}
	c.resize(l, s)
	rest := s.fill(&l.top, batch[:n])
	l.gets++
	l.empty++
	p.unpin(l)
	if rest > 0 {
		c.depot.give(batch[:rest])
	}
	p.arm() // age may have looked while the batch was nowhere
	return x
}

// installStack gives the caller's record a stack if the budget allows one. The
// caller has pinned l; installStack may unpin it to pin another, and returns the
// record that is pinned in the end, with its stack.
func (p *Pool) installStack(c *class, l *Record) (*Record, *stack) {
	var fresh *stack
	for {
		s := l.current()
		if s != &blocked || l.limit == 0 {
			return l, s
		}
		if v := l.usedVictim(); v != nil {
			fresh = v
		}
		if fresh != nil {
			l.install(fresh)
			return l, fresh
		}
		size := int(l.limit) * c.depot.capacity
		p.unpin(l)
		if !forStack(size) {
			return p.repin(c, l), &blocked
		}
		fresh = new(stack) // allocates: not while the record is pinned
		l = p.repin(c, l)
	}
}
