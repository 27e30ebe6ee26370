package engine

import (
	"runtime"
	"sync/atomic"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// A class pools items of one capacity.
//
// Its records stand in a table, one a processor, or one a stripe in the
// portable engine. When GOMAXPROCS outgrows the table a larger one takes its
// place, whose stacks are empty: nothing is copied, so nothing can be in two
// tables. The old one is kept for its counters, and what its stacks held is
// dropped.
type class struct {
	*Head
	row     *row
	index   int  // its number
	objects bool // it has objects, which keep slices of the pool's class of this number
	limit   int  // items that a stack may hold
	wide    int  // the same while the depot serves gets
	depot   depot
	n       atomic.Uintptr          // records in the newest table
	tables  atomic.Pointer[[]table] // all there were, oldest first; changed under Pool.mu
	serves  atomic.Int32            // steps of age for which the depot still counts as one that serves gets
	age     age
	lent    atomic.Int64 // slices that are out, of a class of the pool that exists for loans alone

	pressed atomic.Uint64 // items dropped under pressure
	trimmed atomic.Uint64 // items dropped by Trim, or because the pool has changed
	stolen  atomic.Uint64 // in the portable engine: requests served from another stripe

	// In mode sample.
	seen    uint64        // requests that tick looked at; under Pool.mu
	samples atomic.Int32  // requests still to be sampled
	weight  atomic.Uint64 // how many requests each of them stands for
}

// A Head is what the fast paths need of a class. The heads of a pool lie side by
// side. A class is open or closed to the fast paths. While it is closed, every
// operation takes the slow path, which handles whatever is out of the ordinary. One
// of the two numbers is always 0; if the class is closed, both are.
//
// Readers load a number before records. A larger table is published in the other
// order, so that it has at least as many records, whatever they see.
type Head struct {
	pinned  atomic.Uintptr // records in the newest table, if they belong to processors
	striped atomic.Uintptr // the same if they belong to stripes
	records records        // the newest table

	capacity uintptr // bytes an item; 0 for objects without a slice. It does not change.
}

// Record returns processor pid's record, or nil if the class is closed. The caller is
// pinned to that processor (see rt.Pin), and holds the record until it unpins.
func (c *Head) Record(pid int) *Record {
	if uintptr(pid) >= c.pinned.Load() {
		return nil
	}
	return c.records.at(uintptr(pid))
}

// A table is the records of one class.
type table []Record

// recordCount returns how many records a class begins with: one for each processor
// there may be without growing GOMAXPROCS beyond the machine, or four stripes a
// processor, from 8 to 64, so that two goroutines that run seldom meet.
func recordCount(portable bool) int {
	n := max(runtime.GOMAXPROCS(0), runtime.NumCPU())
	if portable {
		return min(max(4*n, 8), 64)
	}
	return n
}

// pin returns the record of class c that the caller holds until unpin. It must
// not do meanwhile what rt.Pin forbids.
func (p *Pool) pin(c *class) *Record {
	if p.portable {
		return p.lockStripe(c)
	}
	for {
		pid := rt.Pin()
		if uintptr(pid) < c.n.Load() {
			return c.records.at(uintptr(pid))
		}
		rt.Unpin()
		p.extend(c, max(pid+1, p.records, runtime.GOMAXPROCS(0)))
	}
}

// repin is pin for a caller that has just unpinned l. In the portable engine it
// returns l again: deeper down the stack the caller's own stripe may be another
// one, and what is left there would not be looked for there.
func (p *Pool) repin(c *class, l *Record) *Record {
	if p.portable {
		l.mu.Lock()
		return l
	}
	return p.pin(c)
}

// unpin ends what pin began.
func (p *Pool) unpin(l *Record) {
	if p.portable {
		l.mu.Unlock()
	} else {
		rt.Unpin()
	}
}

// lockStripe locks a record near the caller's own. One that is taken is passed
// over; only if several are does the caller wait.
func (p *Pool) lockStripe(c *class) *Record {
	if c.n.Load() == 0 {
		p.extend(c, p.records)
	}
	n := c.n.Load()
	own := stripeOf(n)
	for i := range uintptr(4) {
		if l := c.records.at((own + i) % n); l.mu.TryLock() {
			return l
		}
	}
	l := c.records.at(own)
	l.mu.Lock()
	return l
}

// stripe returns the record nearest to the caller, or nil if the class is closed.
func (c *Head) stripe() *Record {
	n := c.striped.Load()
	if n == 0 {
		return nil
	}
	return c.records.at(stripeOf(n))
}

// stripeOf returns which of n stripes is nearest to the caller.
func stripeOf(n uintptr) uintptr { return uintptr(uint64(rt.Stripe()) * uint64(n) >> 32) }

// steal takes an item from whichever stripe has one that is not locked: a
// goroutine whose stack is deep, or moved, does not find its own stripe again.
// It serves the portable engine only.
func (c *class) steal() item {
	for i := range c.n.Load() {
		l := c.records.at(i)
		if !l.mu.TryLock() {
			continue
		}
		x := l.take()
		if x.some() {
			c.stolen.Add(1)
		}
		l.mu.Unlock()
		if x.some() {
			return x
		}
	}
	return item{}
}

// open opens class c to the fast paths, unless there is a reason against it. The
// caller holds p.mu.
func (p *Pool) open(c *class) {
	n := c.n.Load()
	if p.closes(c) {
		n = 0
	}
	if p.portable {
		c.striped.Store(n)
	} else {
		c.pinned.Store(n)
	}
}

// closes reports whether class c is closed to the fast paths.
func (p *Pool) closes(c *class) bool {
	return !p.size.Load().has(c) || p.clear == ClearRelease ||
		sanitize.Enabled || check.Closes() || c.samples.Load() > 0 ||
		p.limiter != nil && (c.objects || p.portable) // these have no fast path that counts
}

// servesFor is how many steps of age a depot counts as one that serves, after it has served.
const servesFor = 2

// stackLimit returns how many items a stack of c may hold now.
func (c *class) stackLimit() int {
	if c.serves.Load() > 0 {
		return c.wide
	}
	return c.limit
}

// resize has l, whose stack is s, hold as much as a stack of c may hold now.
func (c *class) resize(l *Record, s *stack) {
	limit := c.stackLimit()
	if more := limit - int(l.limit); more != 0 && l.limit > 0 && forStack(more*c.depot.capacity) {
		l.resize(s, uint32(limit))
	}
}

// extend gives class c a table of at least n records.
func (p *Pool) extend(c *class, n int) {
	watch()
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.n.Load() >= uintptr(n) {
		return
	}
	t := make(table, n)
	for i := range t {
		limit := c.limit
		if i >= p.records && p.budget.bounded {
			limit = 0 // the budget was divided before
		}
		t[i].init(limit)
	}
	var tables []table
	if old := c.tables.Load(); old != nil {
		tables = append(tables, *old...)
	}
	tables = append(tables, t)
	c.tables.Store(&tables)
	c.records.set(t)
	c.n.Store(uintptr(n))
	p.open(c)
	for l := range (recordsOf{tables[:len(tables)-1], p.portable}).each {
		l.drop()
	}
}

// allRecords returns the records that c has had.
func (p *Pool) allRecords(c *class) recordsOf {
	if t := c.tables.Load(); t != nil {
		return recordsOf{*t, p.portable}
	}
	return recordsOf{}
}

// recordsOf are the records of tables.
type recordsOf struct {
	tables   []table
	portable bool
}

// each yields them. In the portable engine it holds each of them meanwhile; in the pinned
// one their holders may be at work. (It is ranged over without allocating, which a function
// that is returned is not.)
func (r recordsOf) each(yield func(*Record) bool) {
	for _, t := range r.tables {
		for i := range t {
			l := &t[i]
			if r.portable {
				l.mu.Lock()
			}
			more := yield(l)
			if r.portable {
				l.mu.Unlock()
			}
			if !more {
				return
			}
		}
	}
}
