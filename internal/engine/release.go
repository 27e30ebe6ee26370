package engine

import (
	"math/bits"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// Release files the memory of buf under the largest class that fits and reports
// whether it was kept. The caller must not use the memory afterwards.
//
// The fast path takes a capacity that is a class's: what New handed out. Its
// class then follows from the trailing zeros; no class 0 or 32 is ever open.
func (p *Pool) Release(buf []byte) bool {
	if n := cap(buf); n&(n-1) == 0 {
		if rt.Pinned && p.plain {
			pid := uintptr(rt.Pin())
			c := &p.heads[bits.TrailingZeros32(uint32(cap(buf)))%plainClasses]
			if pid < c.pinned.Load() {
				l := c.records.at(pid)
				if l.stack.Load().push(&l.top, itemOf(buf)) {
					l.puts++
					rt.Unpin()
					return true
				}
			}
			rt.Unpin()
		}
		c := &p.heads[bits.Len32(uint32(n)>>1)%plainClasses] // the same, which the compiler need not keep
		if l := c.stripe(); l != nil && l.mu.TryLock() {
			if l.stack.Load().push(&l.top, itemOf(buf)) {
				l.puts++
				l.mu.Unlock()
				return true
			}
			l.mu.Unlock()
		}
	}
	if rt.Pinned && p.stepped != nil && !p.portable {
		pid := uintptr(rt.Pin())
		c := &p.stepped[p.grid.classWith(uint32(cap(buf)-1))%steppedClasses]
		if pid < c.pinned.Load() && c.capacity == uintptr(cap(buf)) {
			l := c.records.at(pid)
			if l.stack.Load().push(&l.top, itemOf(buf)) {
				l.puts++
				rt.Unpin()
				return true
			}
		}
		rt.Unpin()
	}
	return p.releaseSlow(buf[:0])
}

// releaseSlow is Release for everything.
func (p *Pool) releaseSlow(buf []byte) bool {
	if check.Current() != check.Off {
		return p.releaseChecked(buf)
	}
	return p.releaseUnchecked(buf)
}

// releaseUnchecked is releaseSlow for what nobody checks.
func (p *Pool) releaseUnchecked(buf []byte) bool {
	n := cap(buf)
	takes := p.takes(n)
	if p.clear == ClearRelease {
		clear(buf[:n]) // also what no class takes: it may hold a secret as well
	}
	if sanitize.Enabled && n > 0 {
		sanitize.Released(buf)
	}
	if !takes {
		return false
	}
	c := p.filed(n)
	if p.budget.bounded && uintptr(n) != c.capacity { // it holds more than would be counted
		p.addPuts(c, 1)
		c.depot.refuse()
		return false
	}
	return p.put(c, itemOf(buf))
}

// takes reports whether a class takes slices of capacity n, and counts those that
// none does.
func (p *Pool) takes(n int) bool {
	s := p.size.Load()
	switch {
	case n == 0:
		return false
	case s != nil && s.takes(n):
		return true
	case s != nil && n < s.least:
		p.out.tooSmall.Add(1)
	default:
		p.out.tooLarge.Add(1)
	}
	return false
}

// filed returns the class that takes slices of capacity n, which one takes.
func (p *Pool) filed(n int) *class { return &p.classes[p.grid.floor(n)] }

// put keeps x in class c and reports whether it did.
func (p *Pool) put(c *class, x item) bool {
	kept := p.push(c, x)
	p.arm() // last: age, if it found the pool empty, must not have missed x
	return kept
}

// push puts x onto the stack of the caller's record. If there is none, it installs
// one; if it is full, it makes room; if the budget allows none, x goes to the
// depot.
func (p *Pool) push(c *class, x item) bool {
	l := p.pin(c)
	s := l.current()
	if s == &blocked {
		l, s = p.installStack(c, l)
	}
	l.puts++
	if s.push(&l.top, x) {
		p.unpin(l)
		return true
	}
	if s == &blocked {
		p.unpin(l)
		return c.depot.give([]item{x})
	}
	p.overflow(c, l, s, x)
	return true
}

// overflow moves the older half of s, which is full, to the depot and pushes x.
// The caller has pinned l, the record of s; overflow unpins it.
func (p *Pool) overflow(c *class, l *record, s *stack, x item) {
	var batch batch
	n := s.shift(&l.top, l.limit, &batch)
	s.push(&l.top, x)
	p.unpin(l)
	c.depot.give(batch[:n])
}
