package engine

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// How much idle memory a pool keeps, and for how long: this file has the whole
// policy. Its rules, the stronger first:
//
// Budget. A pool that has one keeps no more than that many bytes. Stacks cannot be
// counted as they change: that would be a shared counter on the hot path. So half
// of the budget (and half of what is left then, if there are objects too) is set
// aside for the worst case, in equal shares a record and class, where a stack and
// its victim may both be full; what their limits leave goes to the depots, which
// count exactly. A share below a class's capacity allows no stack: such a class
// lives in its depot, which costs a lock an operation and keeps the bound. So does
// a class that the pool did not have when the shares were divided. Items are counted
// with the capacity of their class, so such a pool takes no slices that have more.
//
// Stacks. Without a budget, the stacks of one class hold stackBytes together at
// most, but an item each is always allowed. Victims may hold as much again.
//
// Bound. Memory that nobody takes must not pile up: what a collection marks counts
// as live, so that the next one begins later, and traffic in one direction would
// grow the heap like Fibonacci's numbers. So a depot keeps at most
//
//	what it kept after it dropped something last, and
//	the larger of the gets that it failed to serve since the drop before that,
//	  and the items that were in use at one of the last two collections, and
//	spare, for every drop.
//
// A burst that comes for the first time misses, or is in use at a collection, and
// is kept when it ends; memory that comes from elsewhere is not.
//
// Age. What nobody has used for a while goes back to the collector, in two steps:
// each record's stack becomes its victim, from which gets take once the new stack
// is empty, so that an item survives by being used; and the victim is dropped when
// the next stack takes its place. A depot drops at the same time what it had all the
// while. Age looks after each collection, and takes a step if the last one is at
// least retain ago. A class that has not been used at all for that long is dropped
// whole. So what was used within retain stays; and the second of two collections
// that are at least retain apart, both after the last use, drops what is left.
//
// Worst case: with a budget, the budget. Without, a class has stackBytes on stacks,
// as much on victims, and in its depot what was in use at once within the last two
// steps and twice the spare.

// stackBytes is what the stacks of one class hold together at most where there
// is no budget, so that a machine with many processors does not leave much on
// idle ones: on 2 of them 63 items of 1 MiB each, on 64 two.
const stackBytes = 128 << 20

// spare is how many items of the given capacity a depot keeps beyond what was
// used: four batches, but not more than 16 MiB, or one item.
func spare(capacity int) int {
	const batches, bytes = 4, 16 << 20
	return max(1, min(batches*len(batch{}), bytes/max(capacity, 1)))
}

// A budget is what is left of the bytes that a pool may keep idle.
type budget struct {
	bounded bool
	left    atomic.Int64 // what depots may still take
	refused atomic.Bool  // since the last collection
}

// init sets the budget of a pool; 0 means no bound.
func (b *budget) init(total int64) {
	b.bounded = total > 0
	b.left.Store(total)
}

// stackShare sets half of what is left aside for the stacks of a row of classes
// that have the given number of records, and returns the bytes that each may
// hold.
func (b *budget) stackShare(s *sizes, records int) (share int64) {
	if !b.bounded {
		return stackBytes / int64(records)
	}
	classes := s.maxClass - s.minClass + 1
	share = min(b.left.Load()/4, stackBytes) / int64(records) / int64(classes)
	var sum int64
	for k := s.minClass; k <= s.maxClass; k++ {
		capacity := s.capacity(k)
		sum += int64(b.stackLimit(capacity, share)) * int64(capacity) * int64(records) * 2
	}
	if b.left.Add(-sum) < 0 {
		b.left.Add(sum) // depots took it meanwhile
		return 0
	}
	return share
}

// stackLimit returns how many items of the given capacity a stack holds, given its
// share.
func (b *budget) stackLimit(capacity int, share int64) int {
	n := int(min(slots, share/int64(capacity)))
	if !b.bounded {
		n = max(n, 1)
	}
	return n
}

// reserve takes room for up to n items and returns for how many there was some.
func (b *budget) reserve(n, capacity int) int {
	if !b.bounded || capacity == 0 {
		return n
	}
	for {
		left := b.left.Load()
		fit := int(min(int64(n), max(left, 0)/int64(capacity)))
		if fit < n {
			b.refused.Store(true)
		}
		if fit == 0 || b.left.CompareAndSwap(left, left-int64(fit)*int64(capacity)) {
			return fit
		}
	}
}

// release gives back the room of n items.
func (b *budget) release(n, capacity int) {
	if b.bounded && n > 0 {
		b.left.Add(int64(n) * int64(capacity))
	}
}

// A bound is what a depot keeps at most. The depot's lock guards it.
type bound struct {
	most   int    // items
	kept   int    // items after the last drop
	missed [2]int // gets that the depot failed to serve, since the last drop and before
	inUse  [2]int // items of the class in use, at the last collection and before
	spare  int    // items
}

// miss notes a get that the depot failed to serve.
func (b *bound) miss() {
	b.missed[0]++
	b.set()
}

// look notes how many items are in use, after a collection.
func (b *bound) look(inUse int) {
	b.inUse = [2]int{inUse, b.inUse[0]}
	b.set()
}

// drop notes how many items the depot keeps after it dropped something.
func (b *bound) drop(kept int) {
	b.kept = kept
	b.missed = [2]int{0, b.missed[0]}
	b.set()
}

func (b *bound) set() {
	b.most = b.kept + max(b.missed[0]+b.missed[1], b.inUse[0], b.inUse[1]) + b.spare
}

// An age is when a class was used. Pool.mu guards it.
type age struct {
	traffic uint64        // gets and puts when it was last looked at
	changed time.Duration // when traffic was first seen as it is
	stepped time.Duration // when the last step was taken
}

// started is when time begins that is measured in durations.
var started = time.Now()

// armed says that a sentinel waits for the next collection.
var armed atomic.Bool

// A sentinel is found unreachable by the next collection: then its finalizer has
// the pools look at what they keep. There is one for all pools, if any keeps
// something.
//
// It is a finalizer because a cleanup (runtime.AddCleanup) may never run: the
// runtime queues cleanups at processors, and those of a processor that
// GOMAXPROCS takes away wait until it comes back (Go 1.25 to 1.27, p.destroy).
type sentinel struct{ _ *sentinel }

// arm makes sure that the next collection finds p among those that keep something.
// Its caller has just made it keep something.
func (p *Pool) arm() {
	if !p.keeps.Load() {
		p.keeps.Store(true)
	}
	if !armed.Load() && armed.CompareAndSwap(false, true) {
		runtime.SetFinalizer(new(sentinel), (*sentinel).afterCollection)
	}
}

func (s *sentinel) afterCollection() {
	armed.Store(false) // first: what comes after age has looked arms again
	now := time.Since(started)
	eachPool(func(p *Pool) {
		if p.keeps.Load() {
			p.keeps.Store(false) // as above
			if p.age(now) {
				p.arm()
			}
		}
	})
}

// age is called after a collection. It drops what p has kept for long enough and
// reports whether anything is left.
func (p *Pool) age(now time.Duration) (left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	retain := p.retain
	if p.budget.refused.Swap(false) {
		retain = 0 // what one class keeps must not starve the others
	}
	o := p.objects.Load()
	for k := range p.classes {
		slices := p.classStats(&p.classes[k])
		inUse, traffic := slices.inUse(), slices.traffic()
		if o != nil {
			// Objects and slices of a class are the same memory in use.
			objects := p.classStats(&o.classes[k])
			inUse += int64(objects.Hits()) - int64(objects.Puts)
			left = p.ageClass(&o.classes[k], objects.traffic(), inUse, now, retain) || left
		}
		left = p.ageClass(&p.classes[k], traffic, inUse, now, retain) || left
	}
	return left
}

// ageClass is age for class c, given its traffic so far and how many items are in
// use. The caller holds p.mu.
func (p *Pool) ageClass(c *class, traffic uint64, inUse int64, now, retain time.Duration) (left bool) {
	if traffic == 0 {
		return false
	}
	c.depot.look(int(min(max(inUse, 0), math.MaxInt32)))
	a := &c.age
	switch {
	case traffic != a.traffic:
		a.traffic, a.changed = traffic, now
	case now-a.changed >= retain:
		p.trimClass(c)
		return false
	}
	if now-a.stepped < retain {
		return true
	}
	a.stepped = now
	for l := range p.allRecords(c) {
		if l.retire() {
			left = true
		}
	}
	return c.depot.age() || left
}

// Trim drops everything that p keeps idle and returns how many bytes that was.
// What other goroutines release or get meanwhile may count or not.
func (p *Pool) Trim() (freed int64) {
	if p.size.Load() == nil {
		return 0 // a zero Pool
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.allClasses {
		freed += p.trimClass(c)
	}
	return freed
}

// trimClass is Trim for one class. The caller holds p.mu.
func (p *Pool) trimClass(c *class) (freed int64) {
	n := c.depot.trim()
	for l := range p.allRecords(c) {
		n += l.drop()
	}
	return int64(n) * int64(c.depot.capacity)
}
