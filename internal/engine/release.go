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
// The fast paths take a capacity that is a class's, of a slice that is not sampled: what
// New handed out. For a power of two, its class follows from the trailing zeros; no class
// 0 or 32 is ever open.
func (p *Pool) Release(buf []byte) bool {
	n := cap(buf)
	if rt.Pinned && p.plain {
		if n&(n-1)|check.Displaced(buf) == 0 {
			pid := rt.Pin()
			c := &p.heads[bits.TrailingZeros32(uint32(cap(buf)))%plainClasses]
			if l := c.Record(pid); l != nil && l.push(itemOf(buf)) {
				rt.Unpin()
				return true
			}
			rt.Unpin()
		}
	} else if rt.Pinned && p.pinnedStepped != nil {
		pid := rt.Pin()
		c := &p.pinnedStepped[p.grid.stepWith(uint32(cap(buf)-1))%steppedClasses]
		if l := c.Record(pid); l != nil && c.capacity == uintptr(cap(buf)) && check.Displaced(buf) == 0 && l.push(itemOf(buf)) {
			rt.Unpin()
			return true
		}
		rt.Unpin()
	} else if p.limiter != nil {
		return p.releaseLimited(buf)
	} else if n&(n-1)|check.Displaced(buf) == 0 {
		c := &p.heads[bits.Len32(uint32(n)>>1)%plainClasses]
		if l := c.stripe(); l != nil && l.mu.TryLock() {
			if l.push(itemOf(buf)) {
				l.mu.Unlock()
				return true
			}
			l.mu.Unlock()
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
	takes := p.takes(n)
	if p.clear == ClearRelease {
		clear(buf[:n]) // also what no class takes: it may hold a secret as well
	}
	if sanitize.Enabled && n > 0 {
		sanitize.Released(buf)
	}
	if takes {
		kept = p.file(p.filed(n), buf)
	}
	p.discharge(n) // last: who waits for the memory finds it idle
	return kept
}

// file keeps buf in class c, which takes it, and reports whether it did.
func (p *Pool) file(c *class, buf []byte) bool {
	if p.counts && uintptr(cap(buf)) != c.capacity { // counting would miss the excess
		p.addPuts(c, 1)
		c.depot.refuse()
		return false
	}
	kept := p.put(c, itemOf(buf))
	if uintptr(cap(buf)) > c.capacity {
		p.outgrew(c, cap(buf))
	}
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
		if p.out.tooLarge.Add(1) > p.out.count.Load() && !p.counts { // or New has made it as large
			p.grewTo(n)
			p.replaces(&p.row, n)
		}
	}
	return false
}

// filed returns the class for slices of capacity n, which a class takes.
func (p *Pool) filed(n int) *class { return &p.classes[p.grid.floor(n)] }

// put keeps x in class c and reports whether it did.
func (p *Pool) put(c *class, x item) (kept bool) {
	kept = p.push(c, x)
	p.arm() // last: age, if it found the pool empty, must not have missed x
	return kept
}

// push puts x onto the stack of the caller's record. If there is none, it installs
// one; if it is full, it makes room; if the budget allows none, x goes to the
// depot.
func (p *Pool) push(c *class, x item) (kept bool) {
	l := p.pin(c)
	s := l.current()
	fresh := s == &blocked
	if fresh {
		l, s = p.installStack(c, l)
	}
	c.resize(l, s)
	l.puts++
	surplus := int64(l.puts - max(l.gets, l.owed))
	switch {
	case s.push(&l.top, x):
		p.unpin(l)
		kept = true
	case s == &blocked:
		p.unpin(l)
		kept = c.depot.give([]item{x})
	default:
		p.overflow(c, l, s, x)
		kept = true
	}
	// Another processor may have taken it; to ask them all each time would be slow.
	if surplus > 0 && (fresh || surplus%1024 < 32) && p.limiter == nil && p.grown.Load() != uint32(c.index) && p.puts(c) > p.gets(c) {
		p.grew(c.index)
	}
	return kept
}

// overflow moves the older half of s, which is full, to the depot and pushes x.
// The caller has pinned l, the record of s; overflow unpins it.
func (p *Pool) overflow(c *class, l *Record, s *stack, x item) {
	var batch batch
	n := s.shift(&l.top, l.limit, &batch)
	s.push(&l.top, x)
	p.unpin(l)
	c.depot.give(batch[:n])
}
