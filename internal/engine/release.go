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
			c := &p.heads[2*(bits.TrailingZeros32(uint32(cap(buf)))%magazine.PlainClasses)]
			if l := c.Record(pid); l != nil && l.Push(magazine.ItemOf(buf)) {
				rt.Unpin()
				return true
			}
			rt.Unpin()
		}
	} else if rt.Pinned && p.pinnedStepped != nil {
		pid := rt.Pin()
		c := &p.pinnedStepped[2*(p.grid.StepWith(uint32(cap(buf)-1))%magazine.SteppedClasses)]
		if l := c.Record(pid); l != nil && c.Capacity == uintptr(cap(buf)) && check.Displaced(buf) == 0 && l.Push(magazine.ItemOf(buf)) {
			rt.Unpin()
			return true
		}
		rt.Unpin()
	} else if p.limiter != nil {
		return p.releaseLimited(buf)
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
	var cut *class
	whole := n
	if k, exact := p.grid.Exact(n); !exact {
		front := rt.FrontOf(buf)
		if front == 0 && p.pushOdd(k, buf) {
			p.discharge(n)
			return true
		}
		cut, whole = p.cutFrom(n, front)
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
		kept = p.file(buf)
	}
	p.discharge(n) // last: who waits for the memory finds it idle
	return kept
}

// cutFrom handles b[front:], of capacity n, of a slice b of the pool: it returns the class in which b
// counts, and the capacity of b, or nil. That is how programs lose a header. A smaller class would keep
// the memory for less than it has, and the class that handed it out would count it as in use for ever.
// If b has an odd capacity, less than half of it must be gone: else b[front:] is more likely a part of
// something that is not the pool's.
func (p *Pool) cutFrom(n, front int) (c *class, whole int) {
	s, whole := p.size.Load(), n+front
	if front == 0 || s == nil || n > s.most || whole < s.least || whole > s.most {
		return nil, 0
	}
	if _, exact := p.grid.Exact(whole); !exact && front > n {
		return nil, 0
	}
	return p.filed(whole), whole
}

// file keeps buf, which a class takes, and reports whether that did.
func (p *Pool) file(buf []byte) (kept bool) {
	c := p.filed(cap(buf))
	if c.odd() {
		return p.put(c, magazine.OddItemOf(buf))
	}
	return p.put(c, magazine.ItemOf(buf))
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
	case s.takes(n):
		return true
	case n < s.least:
		p.out.tooSmall.Add(1)
	default:
		p.out.tooLarge.Add(1)
	}
	return false
}

// filed returns the class for slices of capacity n, which a class takes. To a sanitizer no memory
// that is idle may be written to, so there what is odd has the capacity of its class.
func (p *Pool) filed(n int) *class {
	k, exact := p.grid.Exact(n)
	switch {
	case exact:
		return p.class(&p.row, k)
	case n < magazine.OddLeast || sanitize.Enabled:
		return p.class(&p.row, k-1)
	}
	return p.oddClass(&p.row, k-1)
}

// pushOdd keeps buf, which has more than class k-1 and less than class k, if the caller's processor
// has room for it.
func (p *Pool) pushOdd(k int, buf []byte) (ok bool) {
	s := p.size.Load()
	if !rt.Pinned || s == nil || cap(buf) < magazine.OddLeast || !s.takes(cap(buf)) {
		return false
	}
	x := magazine.OddItemOf(buf)
	if l := p.headAt(uint32(2*k - 1)).Record(rt.Pin()); l != nil {
		ok = l.Push(x)
	}
	rt.Unpin()
	return ok
}

// put keeps x in class c and reports whether it did.
func (p *Pool) put(c *class, x item) (kept bool) {
	kept, surplus := c.Put(x)
	p.arm() // last: age, if it found the pool empty, must not have missed it
	if surplus {
		c.lookWhetherGrown()
	}
	return kept
}

// Abandon counts a slice of the given capacity, which p handed out, as released and
// dropped: its owner leaves it to the collector.
func (p *Pool) Abandon(capacity int) {
	if p.takes(capacity) {
		p.filed(capacity).Discard(magazine.Abandoned)
	}
	p.discharge(capacity)
}

// Outgrown takes buf, whose content has moved to a slice with the given capacity, of a class that
// lends from now on. It goes to the collector: else the
// next request for its size would get it, and outgrow it again, and none would find what has grown.
func (p *Pool) Outgrown(buf []byte, capacity int) {
	s := p.size.Load()
	if s != nil && s.takes(capacity) {
		p.filed(capacity).lends()
	}
	if s == nil || !s.takes(cap(buf)) || sanitize.Enabled || check.Current() != check.Off || p.clear == ClearOnRelease {
		p.Release(buf)
		return
	}
	p.Abandon(cap(buf))
}
