package engine

import (
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/sanitize"
)

// How what has grown serves requests for less: see "Loans" in idle.go.

// lendBytes bounds what a record lends before it comes back, if that is more than an item.
const lendBytes = 128 << 10

// lendTimes is how many times the capacity of a request's class a loan has at most.
const lendTimes = 1 << 10

// A loan is an item, and the bytes that it has.
type loan struct {
	item
	capacity uintptr
}

// grew notes that slices grow to class k.
func (p *Pool) grew(k int) {
	if p.grown.Load() != uint32(k) {
		p.grown.Store(uint32(k))
	}
}

// grewTo notes that a slice has grown to the given capacity, which may be above the largest
// class.
func (p *Pool) grewTo(capacity int) {
	if capacity <= p.size.Load().beyond {
		p.grew(p.grid.classOf(capacity))
	}
}

// takesBack reports whether n is the capacity of a class that exists for loans alone, and of
// whose slices some are out. If so, it counts one as back, with its object or without.
func (p *Pool) takesBack(n int) bool {
	if s := p.size.Load(); n <= s.most || n > s.beyond {
		return false
	}
	c := p.filed(n)
	if c.capacity != uintptr(n) || c.lent.Load() <= 0 {
		return false
	}
	if c.lent.Add(-1) < 0 { // another one was the last
		c.lent.Add(1)
		return false
	}
	return true
}

// outgrew notes that a slice of the given capacity was filed under class c, which has less. If
// slices grow to c, they grow to the next class, which has room for as much.
func (p *Pool) outgrew(c *class, capacity int) {
	if p.grown.CompareAndSwap(uint32(c.index), uint32(c.index+1)) {
		p.replaces(&p.row, capacity)
	}
}

// replaces notes that a slice of the given capacity, which its class does not take, comes back
// in place of one that this class of r may have lent.
func (p *Pool) replaces(r *row, capacity int) {
	if capacity <= p.size.Load().beyond {
		p.count(&r.classes[p.grid.classOf(capacity)], func(l *Record) {
			if l.owed > l.puts {
				l.owed--
			}
		})
	}
}

// lender returns the class of r that lends for requests of class c, nil for none.
func (p *Pool) lender(r *row, c *Head) *Head {
	if g := r.head(p.grown.Load()); g.lendsFor(c) {
		return g
	}
	return nil
}

// lendsFor reports whether class g has what to lend for requests of class c.
func (g *Head) lendsFor(c *Head) bool {
	return c.capacity < g.capacity && g.capacity/lendTimes <= c.capacity
}

// borrow takes an item for a request of class c of r, for which the stack of l has none:
// from its victim, or a loan. It counts the request. Processor pid holds l and the caller.
func (p *Pool) borrow(r *row, c *Head, l *Record, pid int) (x loan) {
	if l.victim.Load() != nil {
		if x = (loan{l.take(), c.capacity}); x.some() {
			l.gets++
			return x
		}
	}
	if g := p.lender(r, c); g != nil {
		if l := g.Record(pid); l != nil {
			return loan{l.lend(g.capacity), g.capacity}
		}
	}
	return loan{}
}

// lend takes a loan for a request of class c, and counts the request: an item, or none and
// how much to allocate. If nothing is lent, it returns the zero loan, and counts nothing.
// The caller holds nothing.
func (p *Pool) lend(c *class) (x loan) {
	g, s := &c.row.classes[p.grown.Load()], p.size.Load()
	lends := false // memory that is new, or from the depot
	if g.lendsFor(c.Head) && g.capacity <= uintptr(s.beyond) {
		p.count(g, func(l *Record) {
			if x.item = l.lend(g.capacity); !x.some() && l.mayLend(g.capacity) {
				l.gets++
				l.empty++
				l.noteLent()
				lends = true
			}
		})
	}
	switch {
	case lends:
		var one [1]item
		g.depot.take(one[:])
		x.item = one[0]
	case !x.some():
		return loan{}
	}
	if !s.has(g) && (x.some() || !g.objects) { // or the slice is still to be made
		p.classes[g.index].lent.Add(1)
	}
	x.capacity = g.capacity
	return x
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
	p.grewTo(capacity)
	if !s.takes(n) || p.clear == ClearRelease || p.grid.capacity(p.grid.floor(n)) != n {
		return false
	}
	c := p.filed(n)
	p.addPuts(c, 1)
	c.depot.give([]item{itemOf(buf)})
	p.arm()
	return true
}
