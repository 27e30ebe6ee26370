package engine

import (
	"math/bits"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// Release files the memory of buf under the largest class that fits and reports
// whether it was kept. The caller must not use the memory afterwards.
//
// The fast paths take a capacity that is a class's, of a slice that is not sampled: what
// New handed out. For a power of two, its class follows from the trailing zeros; no class
// 0 or 32 is ever open.
func (p *Pool) Release(buf []byte) bool {
	n := cap(buf)
	if rt.Pinned && p.plain {
		if n&(n-1)|check.Displaced(buf) == 0 {
			pid := rt.Pin()
			c := &p.heads[bits.TrailingZeros32(uint32(cap(buf)))%magazine.PlainClasses]
			if l := c.Record(pid); l != nil && l.Push(magazine.ItemOf(buf)) {
				rt.Unpin()
				return true
			}
			rt.Unpin()
		}
	} else if rt.Pinned && p.pinnedStepped != nil {
		pid := rt.Pin()
		c := &p.pinnedStepped[p.grid.StepWith(uint32(cap(buf)-1))%magazine.SteppedClasses]
		if l := c.Record(pid); l != nil && c.Capacity == uintptr(cap(buf)) && check.Displaced(buf) == 0 && l.Push(magazine.ItemOf(buf)) {
			rt.Unpin()
			return true
		}
		rt.Unpin()
	} else if p.limiter != nil {
		return p.releaseLimited(buf)
	} else if n&(n-1)|check.Displaced(buf) == 0 {
		c := &p.heads[bits.Len32(uint32(n)>>1)%magazine.PlainClasses]
		if l := c.Stripe(); l != nil {
			kept := l.Push(magazine.ItemOf(buf))
			l.Unlock()
			if kept {
				return true
			}
		}
	}
	return p.releaseSlow(buf[:0])
}

// releaseSlow is Release without the fast path.
func (p *Pool) releaseSlow(buf []byte) bool {
	if check.Current() != check.Off {
		return p.releaseChecked(buf)
	}
	return p.releaseUnchecked(buf)
}

// releaseUnchecked is releaseSlow for a slice that is not checked.
func (p *Pool) releaseUnchecked(buf []byte) (kept bool) {
	n := cap(buf)
	k, exact := p.grid.Exact(n)
	var cut *class
	whole := n
	if !exact {
		k--
		cut, whole = p.cutFrom(buf)
	}
	takes := cut == nil && p.takes(n)
	if p.clear == ClearOnRelease {
		clear(buf[:n]) // also what no class takes: it may hold a secret as well
	}
	if sanitize.Enabled && n > 0 {
		sanitize.Released(buf)
	}
	switch {
	case cut != nil:
		cut.Discard(magazine.FrontCut)
		n = whole
	case takes:
		kept = p.file(p.class(&p.row, k), buf)
	}
	p.discharge(n) // last: who waits for the memory finds it idle
	return kept
}

// cutFrom returns the class in which the slice counts of which buf, whose capacity is no class's, is
// all but the front, and the capacity that it had, or nil if buf has its front. That is how programs
// lose a header. A smaller class would keep the memory for less than it has, and the class that handed
// it out would count it as in use for ever. What has an odd capacity is taken for such a slice if less
// than half is gone: else it is more likely a part of something that is not the pool's.
func (p *Pool) cutFrom(buf []byte) (c *class, whole int) {
	s, n := p.size.Load(), cap(buf)
	if s == nil || n > s.beyond {
		return nil, 0
	}
	front := rt.FrontOf(buf)
	whole = n + front
	if front == 0 || whole > s.beyond {
		return nil, 0
	}
	if whole < s.least || whole > s.most && !p.takesBack(whole) {
		return nil, 0
	}
	if c = p.filed(whole); c.Capacity != uintptr(whole) && front > n {
		return nil, 0
	}
	return c, whole
}

// file keeps buf in class c, which takes it, and reports whether it did.
func (p *Pool) file(c *class, buf []byte) (kept bool) {
	n := cap(buf)
	if uintptr(n) == c.Capacity {
		return p.put(c, magazine.ItemOf(buf))
	}
	kept = c.StoreOdd(magazine.ItemOf(buf), n)
	p.arm()
	p.lending.free.made()
	p.grewTo(n)
	return kept
}

// takes reports whether a class takes slices of capacity n, and counts those that
// none does.
func (p *Pool) takes(n int) bool {
	s := p.size.Load()
	switch {
	case n == 0:
		return false
	case s == nil:
		p.out.tooLarge.Add(1)
	case s.takes(n) || p.takesBack(n):
		return true
	case n < s.least:
		p.out.tooSmall.Add(1)
	default:
		if p.out.tooLarge.Add(1); p.grownBeyond() > 0 && p.limiter == nil {
			p.grewTo(n)
		}
	}
	return false
}

// filed returns the class for slices of capacity n, which a class takes.
func (p *Pool) filed(n int) *class { return p.class(&p.row, p.grid.Floor(n)) }

// put keeps x in class c and reports whether it did.
func (p *Pool) put(c *class, x item) (kept bool) {
	kept, surplus := c.Put(x)
	p.hasPut(c, surplus)
	return kept
}

// hasPut follows what was put into class c.
func (p *Pool) hasPut(c *class, surplus bool) {
	p.arm() // last: age, if it found the pool empty, must not have missed it
	if p.lending.free.lends(uint32(c.index)) {
		p.lending.free.made()
	}
	if surplus && p.lending.grown.Load() != uint32(c.index) && c.Puts() > c.Gets() {
		p.grew(c.index)
	}
}

// Abandon counts a slice of the given capacity, which p handed out, as released and
// dropped: its owner leaves it to the collector.
func (p *Pool) Abandon(capacity int) {
	if s := p.size.Load(); s != nil && (s.takes(capacity) || p.takesBack(capacity)) {
		p.filed(capacity).Discard(magazine.Abandoned)
	}
	p.discharge(capacity)
}
