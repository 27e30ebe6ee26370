package engine

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// How a class serves requests for less than it has: see "Loans" in idle.go.

// A row is the classes that lend to each other: those of slices, or those of objects of
// one type; with them those of its odd items.
type row struct {
	heads   []Head
	lenders atomic.Pointer[[]*class] // smallest first; changed under Pool.mu
	odd     atomic.Pointer[objects]  // nil until there is one
}

// A loan is an item that a class has lent, and the bytes that it has.
type loan struct {
	item
	capacity uintptr
}

// isOdd is the bit of Record.lender that says that the class is one of odd items.
const isOdd = 1 << 7

// relend is borrow from the class that has lent last. The caller is pinned to processor
// pid.
func (r *row) relend(lender uint8, pid int) loan {
	heads := r.heads
	if lender >= isOdd {
		heads = r.odd.Load().row.heads
	}
	c := &heads[lender%isOdd]
	l := c.Record(pid)
	if l == nil || l.trust == 0 {
		return loan{}
	}
	return l.lend(l.stack.Load(), &l.top, c.capacity, lender >= isOdd)
}

// borrow takes an item for a request of class c, whose record l has none, from a class
// that lends, and counts a request there. The caller has just unpinned l. Depots come last,
// and those of large classes first: they have what was outgrown.
func (p *Pool) borrow(c *class, l *Record) loan {
	lenders := c.row.lenders.Load()
	if lenders == nil {
		return loan{}
	}
	for _, from := range *lenders {
		if from.capacity < c.capacity {
			continue
		}
		if x := from.lend(); x.some() {
			l = p.repin(c, l)
			l.lender = uint8(from.index)
			if from.odd {
				l.lender |= isOdd
			}
			p.unpin(l)
			return x
		}
	}
	for _, from := range slices.Backward(*lenders) {
		if from.capacity < c.capacity {
			break
		}
		if x := p.lendStored(from); x.some() {
			return x
		}
	}
	return loan{}
}

// lend takes an item of class c, if the caller's record may lend one; in the portable
// engine, if any record may.
func (c *class) lend() (x loan) {
	if n := c.pinned.Load(); n > 0 {
		if l := c.Record(rt.Pin()); l != nil {
			x = c.lendOf(l)
		}
		rt.Unpin()
	}
	for i := range c.striped.Load() { // see steal
		if l := c.records.at(i); !x.some() && l.mu.TryLock() {
			x = c.lendOf(l)
			l.mu.Unlock()
		}
	}
	return x
}

// lendStored is lend from the depot, in the pinned engine.
func (p *Pool) lendStored(c *class) (x loan) {
	if c.odd || c.pinned.Load() == 0 {
		return loan{}
	}
	l := p.pin(c)
	may := l.mayLend()
	p.unpin(l)
	var one [1]item
	if may && c.depot.take(one[:]) > 0 {
		x = loan{one[0], c.capacity}
		p.count(c, func(l *Record) {
			l.gets++
			l.empty++
			l.lent++
		})
	}
	return x
}

// lendOf is lend from l alone.
func (c *class) lendOf(l *Record) loan {
	x := l.lend(l.current(), &l.top, c.capacity, c.odd)
	if v := l.victim.Load(); !x.some() && v != nil {
		x = l.lend(v, &l.victimTop, c.capacity, c.odd)
	}
	return x
}

// surplus returns by how much more was released into class c than was taken from it.
func (p *Pool) surplus(c *class) (n int64) {
	all := c.tables.Load()
	if all == nil {
		return 0
	}
	for _, t := range *all {
		for i := range t {
			l := &t[i]
			if p.portable {
				l.mu.Lock()
			}
			n += int64(p.load(&l.puts)) - int64(p.load(&l.gets))
			if p.portable {
				l.mu.Unlock()
			}
		}
	}
	return n
}

// learn lets class c lend if more was released into it than taken from it, lately.
func (p *Pool) learn(c *class) {
	if !c.lends.Load() && p.surplus(c) > c.known.Load() {
		p.setLends(c, true)
	}
}

// setLends says whether class c lends.
func (p *Pool) setLends(c *class, lends bool) {
	if c.lends.Load() == lends {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.setLendsLocked(c, lends)
}

func (p *Pool) setLendsLocked(c *class, lends bool) {
	if c.lends.Load() == lends || p.limiter != nil {
		return
	}
	c.lends.Store(lends)
	var all []*class
	if old := c.row.lenders.Load(); old != nil {
		all = slices.DeleteFunc(slices.Clone(*old), func(x *class) bool { return x == c })
	}
	if lends {
		all = append(all, c)
		slices.SortStableFunc(all, func(a, b *class) int { return cmp.Compare(a.capacity, b.capacity) })
	}
	c.row.lenders.Store(&all)
	if len(all) == 0 {
		c.row.lenders.Store(nil)
	}
}

// Outgrown takes buf, whose content has moved to a slice with the given capacity because it
// has grown, and reports whether it did; if not, the caller releases buf. The class of
// that capacity lends from now on; and buf is kept where it is found last, or the next
// request for its size would get it and outgrow it again.
func (p *Pool) Outgrown(buf []byte, capacity int) bool {
	n, s := cap(buf), p.size.Load()
	if s == nil || p.counts || sanitize.Enabled || check.Current() != check.Off {
		return false
	}
	if s.takes(capacity) {
		p.setLends(p.filed(capacity), true)
	}
	if !s.takes(n) || p.clear == ClearRelease || p.grid.capacity(p.grid.floor(n)) != n {
		return false
	}
	c := p.filed(n)
	p.addPuts(c, 1)
	c.depot.give([]item{itemOf(buf)})
	p.arm()
	return true
}

// takesOdd reports whether an odd class takes slices of capacity n, which no class has.
// Where there is a budget, which could not count the rest, none does.
func (p *Pool) takesOdd(n int) bool {
	s := p.size.Load()
	if s == nil || n < s.least || n > s.fit || p.counts || p.clear == ClearRelease || sanitize.Enabled {
		return false
	}
	if u := p.grid.unsampled(n); p.grid.capacity(p.grid.floor(u)) == u {
		return false
	}
	if o := p.row.odd.Load(); o != nil && o.classes[p.grid.floor(n)].lends.Load() {
		return true
	}
	return p.lacks()
}

// lacks reports whether any class lacks slices that it has handed out.
func (p *Pool) lacks() bool {
	for k := range p.classes {
		if p.inUse(k) > 0 {
			return true
		}
	}
	return false
}

// odds returns the classes of r's odd items. They hold items with more than the capacity
// of the class, and remember how much: slices that have grown by the built-in append, or
// come from elsewhere.
func (p *Pool) odds(r *row) *objects {
	o := r.odd.Load()
	if o == nil {
		o = p.objectsOf(r)
		r.odd.Store(o)
	}
	return o
}

// pushOdd is putOdd where that is simple.
func (o *objects) pushOdd(x item, n int) (kept bool) {
	if !rt.Pinned || n&(n-1) == 0 || uintptr(n) > o.pool.newPinned.Load() {
		return false
	}
	c := &o.heads[(bits.Len32(uint32(n))-1)%plainClasses]
	if l := c.Record(rt.Pin()); l != nil {
		if kept = l.push(x); kept {
			l.stack.Load().note(l.top, n)
		}
	}
	rt.Unpin()
	return kept
}

// putOdd keeps x, whose capacity n is odd, as it is if the caller's record has room, and
// otherwise as an item of class c.
func (p *Pool) putOdd(r *row, x item, n int) bool {
	c := &p.odds(r).classes[p.grid.floor(n)]
	l := p.pin(c)
	s := l.current()
	if s == &blocked {
		l, s = p.installStack(c, l)
	}
	kept := s.push(&l.top, x)
	if kept {
		s.note(l.top, n)
		l.puts++
	}
	p.unpin(l)
	if !c.lends.Load() {
		p.learn(c)
	}
	p.arm()
	return kept
}
