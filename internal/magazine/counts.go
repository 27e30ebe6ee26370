package magazine

import (
	"sync/atomic"

	"github.com/octet-go/octet/bytespool/stats"
)

// Counts is what the counters of a class say. They are read one by one while operations go
// on; once these have stopped, they are exact.
type Counts struct {
	Capacity int    // bytes an item
	Gets     uint64 // requests
	Misses   uint64 // requests that had to allocate
	Puts     uint64 // releases
	Idle     uint64 // items kept now
	Odd      uint64 // bytes that idle items count beyond the class's capacity

	Dropped stats.Dropped // items
}

// A Reason is why an item is dropped that neither depot nor age drops.
type Reason uint8

const (
	Abandoned Reason = iota
	FrontCut
	trimmed

	reasons
)

// Hits returns the requests that were served from idle items.
func (s Counts) Hits() uint64 { return less(s.Gets, s.Misses) }

// InUse returns how many items were handed out and not released. It is negative
// where foreign ones were released.
func (s Counts) InUse() int64 { return int64(s.Gets) - int64(s.Puts) }

// Counts returns the counters of c.
func (c *Class) Counts() Counts {
	d := &c.depot
	s := Counts{Capacity: int(c.Capacity), Idle: uint64(d.len())}
	s.Dropped.OverBudget, s.Dropped.OverBound = d.overBudget.Load(), d.overBound.Load()
	for l := range c.all().each {
		s.Gets += c.load(&l.gets)
		s.Puts += c.load(&l.puts)
		s.Misses += c.load(&l.missed)
		s.Idle += uint64(l.idle())
	}
	s.Odd = s.Idle * uint64(d.capacity-s.Capacity)
	// What is on a stack that is taken away is not counted then, but estimated by Drop,
	// while the stack's holder may be at work. Age is the rest.
	dropped := less(s.Puts, s.Hits()+s.Idle+s.Dropped.OverBudget+s.Dropped.OverBound)
	reason := func(why Reason) uint64 {
		n := min(c.dropped[why].Load(), dropped)
		dropped -= n
		return n
	}
	s.Dropped.Abandoned, s.Dropped.FrontCut = reason(Abandoned), reason(FrontCut)
	s.Dropped.Trimmed = reason(trimmed)
	s.Dropped.Aged = dropped
	return s
}

// InUse returns how many items were handed out and not released. New ones count if made is
// set: a slice is made where none is idle, and an object is not. It is negative where
// foreign items were released, or others have grown into c.
func (c *Class) InUse(made bool) (n int64) {
	// The releases first: then none counts whose request does not.
	n -= int64(c.Puts())
	for l := range c.all().each {
		n += int64(c.load(&l.gets))
		if !made {
			n -= int64(c.load(&l.missed))
		}
	}
	return n
}

// Loans returns how many items c has lent, and the bytes that they had, as numbers that wrap around.
func (c *Class) Loans() (l Loans) {
	for r := range c.all().each {
		l.items += atomic.LoadUint32(&r.loans)
		l.units += atomic.LoadUint32(&r.lent)
	}
	return l
}

// Loans are items that were lent.
type Loans struct{ items, units uint32 }

// Since returns how many loans there are in l that are not in old, and the bytes that they have.
func (l Loans) Since(old Loans) (n, bytes int64) {
	return int64(l.items - old.items), int64(l.units-old.units) * lentUnit
}

// Idle returns how many items c keeps.
func (c *Class) Idle() (n int) {
	n = c.depot.len()
	for l := range c.all().each {
		n += l.idle()
	}
	return n
}

// Gets returns how many requests c has served.
func (c *Class) Gets() (n uint64) {
	for l := range c.all().each {
		n += c.load(&l.gets)
	}
	return n
}

// Puts returns the number of releases that c has seen. Call it before Gets: else a release may
// be counted without its request.
func (c *Class) Puts() (n uint64) {
	for l := range c.all().each {
		n += c.load(&l.puts)
	}
	return n
}

// CountPuts adds n to the releases.
func (c *Class) CountPuts(n int) {
	l := c.Pin()
	l.puts += uint64(n)
	c.Unpin(l)
}

// CountMiss counts a request that is served from new memory.
func (c *Class) CountMiss() {
	l := c.Pin()
	l.gets++
	l.missed++
	c.Unpin(l)
}

// countGet counts a request that is served from what another record or a depot had.
func (c *Class) countGet() {
	l := c.Pin()
	l.gets++
	c.Unpin(l)
}

// load reads a counter of a record: in the portable engine the caller holds it;
// in the pinned one its holder may be at work.
func (c *Class) load(n *uint64) uint64 {
	if c.shared.Portable {
		return *n // atomic access would need alignment on 32-bit machines
	}
	return atomic.LoadUint64(n)
}

// less returns a - b, or 0 if that is negative.
func less(a, b uint64) uint64 { return a - min(a, b) }
