package engine

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/sanitize"
)

// How what has grown serves requests for less. Programs take what they expect to need, and
// append more. Takes would always allocate, and releases serve nobody. So where slices grow, a
// request that finds its stack empty gets a loan: more than it asked for, in full.
//
// Slices that are held must not pin what others have grown to, but may pin up to lendFreely times
// what was asked for. So as much as that is lent whenever it is idle, by all classes into which
// slices have grown.
//
// More is lent by the class into which slices grew last: one into which more was released than was
// taken, or into which Append moved, or which has room for what came back with an odd capacity. The
// loan is an item, idle or new, and counts there. Up to twice the largest, classes exist for this
// alone.
//
// How much may be held in the end is bounded: all processors together may have lent what a loanBound
// says, or a sixteenth of the live heap. As long as the pool has no more slices than that, idle or in
// use, of the lending class and all smaller ones, each of them may be lent: no more can be held than
// there are. What is made meanwhile is counted, and what fills the lending class, as it may come from
// elsewhere; and when there may be too many, grant looks again.
//
// Where there are too many, a loan takes a credit. A loan that is held looks like one that has come
// back and is in use again, and what comes back looks like what has grown elsewhere. So credits are
// bounded by what cannot be mistaken: all slices in use that may be loans, and credits, are together
// no more than may be lent. Where more is in use, there are no credits.
//
// Slices in use are counted from the fewest that there were for a minute. What is kept for long,
// or lost, which cannot be told from each other, counts no more: else a program that loses a slice
// now and then would lend nothing in the end. So in a minute no more than the bound is added to what
// is held. And where foreign slices are released, which count as less than none, they hide no more
// than came since.
//
// A collection ends the lending, and what grows after it begins it again.

const (
	lendFreely = 8       // times the size of the request: what is lent of this size whenever it is idle
	lendTimes  = 1 << 10 // times the capacity of its class: the most that is lent
)

// lendShare is the part of the live heap that all processors together may lend, and the part
// of a limit that they lend at most.
const lendShare = 16

// A loanBound is what a processor may lend, and which slices in use may be loans.
type loanBound struct {
	items int64 // in any case, also if they have more than lendBytes
	own   bool  // those of the lending class alone, and not those of smaller ones
}

var (
	// growing is for requests of a size that the program states, where slices grow. What grows
	// by append comes back to the lending class, and no request of that class tells.
	growing = loanBound{items: 1}
	// usual is for objects whose size follows what others needed. They ask their class for
	// what they grow by.
	usual = loanBound{items: 4, own: true}
)

// lendBytes is what a processor may lend.
const lendBytes = 1 << 20

// lending is what a pool knows of slices that grow.
type lending struct {
	grown    atomic.Uint32 // the class into which a slice grew last, 0 for none
	into     classSet      // the classes into which any have grown
	free     free          // the class that lends without credits
	pause    atomic.Int32  // requests that grant turns away without a look, after it has refused one
	granting sync.Mutex    // held while loans are granted
}

// A classSet is a set of classes.
type classSet [magazine.SteppedClasses / 32]atomic.Uint32

func (s *classSet) add(k int) {
	if !s.has(k) {
		s[k/32].Or(1 << (k % 32))
	}
}

func (s *classSet) has(k int) bool { return s[k/32].Load()>>(k%32)&1 > 0 }

func (s *classSet) clear() {
	for i := range s {
		s[i].Store(0)
	}
}

// A loan is an item, and the bytes that it has.
type loan struct {
	item
	capacity uintptr
}

// grew notes that slices grow to class k.
func (p *Pool) grew(k int) {
	l := &p.lending
	l.into.add(k)
	if l.grown.Load() != uint32(k) {
		l.grown.Store(uint32(k))
	}
}

// end ends the lending after a collection.
func (l *lending) end() {
	l.into.clear()
	l.free.end()
	l.grown.Store(0) // last: what grows meanwhile to the same class sets both again
	l.pause.Store(0)
}

// grewTo notes that a slice has grown to the given capacity, which may be above the largest
// class.
func (p *Pool) grewTo(capacity int) {
	if capacity <= p.size.Load().beyond {
		p.grew(p.grid.ClassOf(capacity))
	}
}

// takesBack reports whether n is the capacity of a class that exists for loans alone, and of
// whose slices some are out. If so, it counts one as back, with its object or without.
func (p *Pool) takesBack(n int) bool {
	if s := p.size.Load(); n <= s.most || n > s.beyond {
		return false
	}
	c := p.filed(n)
	if c.Capacity != uintptr(n) || c.lent.Load() <= 0 {
		return false
	}
	if c.lent.Add(-1) < 0 { // another one was the last
		c.lent.Add(1)
		return false
	}
	return true
}

// grownBeyond returns how many slices came back larger than any class takes. Those that New
// has made as large are none.
func (p *Pool) grownBeyond() int64 {
	return max(0, int64(p.out.tooLarge.Load()-p.out.count.Load()))
}

// borrow takes a loan for a request of class c of r for size bytes, which it counts, from the
// stack that processor pid has of the class that lends. The caller is pinned to it.
func (p *Pool) borrow(r *row, c *Head, pid, size int) (x loan) {
	k := p.lending.grown.Load()
	if g := r.head(k); c.Capacity < g.Capacity && g.Capacity/lendTimes <= c.Capacity {
		if l := g.Record(pid); l != nil {
			if x.capacity = g.Capacity; x.capacity <= lendFreely*uintptr(size) || p.lending.free.lends(k) {
				x.item = l.Pop()
			} else {
				x.item = l.Lend()
			}
		}
	}
	return x
}

// lend takes a loan for a request of class c, and counts the request: an item, or none and how
// much to allocate. If nothing is lent, it returns the zero loan, and counts nothing. The caller
// holds nothing.
func (p *Pool) lend(c *class, r request) (x loan) {
	if p.lending.grown.Load() == 0 {
		return x
	}
	if p.limiter != nil {
		return p.lendAdmitted(c, r.bytes)
	}
	g, free := p.lender(c), lendFreely*int64(r.size)
	// A loan of class g is found on the stack next time, so it comes first: but not where credits
	// are refused, and something idle does as well.
	idleFirst := g == nil || int64(g.Capacity) <= free && p.lending.pause.Load() > 0
	if idleFirst {
		x = p.lendIdle(c, free)
	}
	if x.capacity == 0 && g != nil {
		x = p.lendFrom(c, g)
	}
	if x.capacity == 0 && !idleFirst {
		x = p.lendIdle(c, free)
	}
	return x
}

// lendIdle is lend without a credit: it takes an idle item of the largest class into which
// slices have grown and that has any, of no more than so many bytes.
func (p *Pool) lendIdle(c *class, bytes int64) loan {
	for k := p.size.Load().maxClass; k > c.index; k-- {
		g := c.row.classes[k].Load()
		if g == nil || int64(g.Capacity) > bytes {
			continue
		}
		var l *Record
		grown := p.lending.into.has(k) // or what is idle there was asked for, and may be again
		if grown {
			var x item
			if x, l = g.AtHand(); x.Some() {
				return loan{x, g.Capacity}
			}
		}
		if x, capacity := g.Odd(func(n int) bool { return int64(n) <= bytes }); x.Some() {
			return loan{x, capacity}
		}
		if grown && g.HasStored() {
			if x := g.Stored(l); x.Some() {
				return loan{x, g.Capacity}
			}
		}
	}
	return loan{}
}

// lender returns the class that lends for requests of class c, nil for none.
func (p *Pool) lender(c *class) *class {
	k := int(p.lending.grown.Load())
	if n := p.grid.Capacity(k); k <= c.index || n/lendTimes > int(c.Capacity) || n > p.size.Load().beyond {
		return nil
	}
	return p.class(c.row, k)
}

// lendFrom is lend from class g, also where there is a limit.
func (p *Pool) lendFrom(c, g *class) loan {
	x, ok := p.lendItem(g, growing)
	if !ok {
		return loan{}
	}
	if !p.size.Load().has(g.index) && (x.Some() || c.row.objects == 0) { // or the slice is still to be made
		p.class(&p.row, g.index).lent.Add(1)
	}
	return loan{x, g.Capacity}
}

// lendItem takes an item of class g for a request of another class, or none, and reports
// whether it may: then the request is counted.
func (p *Pool) lendItem(g *class, bound loanBound) (x item, ok bool) {
	if !bound.own && p.lending.free.lends(uint32(g.index)) {
		return p.lendOne(g), true
	}
	if x, ok = g.Lend(); !ok {
		x, ok = p.grant(g, bound)
	}
	return x, ok
}

// grant is lendItem where the caller's processor may make no loan yet: it may make some from
// now on, if there is room for them.
func (p *Pool) grant(g *class, bound loanBound) (x item, ok bool) {
	const pause = 16
	l := &p.lending
	if l.pause.Load() > 0 && l.pause.Add(-1) >= 0 {
		return x, false
	}
	l.granting.Lock()
	defer l.granting.Unlock()
	processors, capacity := int64(runtime.GOMAXPROCS(0)), int64(g.Capacity)
	most := max(processors*max(bound.items, lendBytes/capacity), LastPressure().Live/lendShare/capacity)
	if p.limiter != nil { // each takes room from requests that get no more than they ask for
		most = min(most, p.limiter.limit/lendShare/capacity)
	}
	if !bound.own {
		l.free.count()
	}
	n, kept := p.mayBeLoans(g, bound)
	room := most - n
	if !bound.own && l.free.set(g.index, room-kept-p.idleUpTo(g.index)) {
		return p.lendOne(g), true
	}
	if room <= 0 {
		l.pause.Store(pause)
		return x, false
	}
	n = room / processors
	if p.portable {
		n = 1 // the next request may find another stripe
	}
	return g.Grant(int(min(max(n, 1), math.MaxInt32))), true
}

// lendOne lends an item of class g, or none.
func (p *Pool) lendOne(g *class) (x item) {
	if x = g.Grant(1); !x.Some() {
		p.lending.free.made()
	}
	return x
}

// mayBeLoans returns how many slices are in use that class g may have lent, with those that it
// may still lend; and how many more are in use that were for a minute, of no larger class.
func (p *Pool) mayBeLoans(g *class, bound loanBound) (n, kept int64) {
	if bound.own {
		inUse, credits := g.Claims(true)
		n, kept = g.least.beyond(inUse)
		return n + credits, kept
	}
	n = -p.grownBeyond()
	credits := int64(0)
	for k := g.index; k > 0; k-- { // class 0 has objects without a slice
		inUse, more := p.inUse(k)
		if n += inUse; k == g.index {
			credits = more
		}
	}
	n, kept = p.class(&p.row, g.index).least.beyond(n)
	return n + credits, kept
}

// Outgrown takes buf, whose content has moved to a slice with the given capacity because it
// has grown, and reports whether it did; if not, the caller releases buf. The class of
// that capacity lends from now on; and buf is kept where it is found last, or the next
// request for its size would get it and outgrow it again.
func (p *Pool) Outgrown(buf []byte, capacity int) bool {
	n, s := cap(buf), p.size.Load()
	if s == nil || sanitize.Enabled || check.Current() != check.Off {
		return false
	}
	p.grewTo(capacity)
	if !s.takes(n) || p.clear == ClearOnRelease || p.grid.Capacity(p.grid.Floor(n)) != n {
		return false
	}
	p.filed(n).Store(magazine.ItemOf(buf))
	p.arm()
	p.discharge(n)
	return true
}
