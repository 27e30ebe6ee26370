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
// of the budget (and half of what is left then, for each type of objects) is set
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
// Pressure. Where the program has a memory limit (GOMEMLIMIT), idle memory yields:
// see Keep. After each collection one number says how much all pools together may
// keep, and what is above it goes, from each pool in proportion, the oldest first.
//
// Budget, bound and pressure go before age: they also drop what was used within
// retain. Nothing here asks for a collection.
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
	memory := readMemory()
	if memory.Limit != math.MaxInt64 {
		memory.Idle = idleBytes() // before age drops what has just been marked
	}
	eachPool(func(p *Pool) {
		if p.keeps.Load() {
			p.keeps.Store(false) // as above
			if p.age(now) {
				p.arm()
			}
		}
	})
	yield(memory)
}

// idleBytes returns what all pools keep.
func idleBytes() (n int64) {
	eachPool(func(p *Pool) {
		if !p.keeps.Load() {
			return
		}
		for c := range p.allClasses {
			n += p.idleItems(c) * int64(c.capacity)
		}
	})
	return n
}

// Memory is what the pressure rule looks at, in bytes.
type Memory struct {
	Live    int64 // the live heap, as the last collection marked it
	Idle    int64 // the part of it that pools kept
	NotHeap int64 // what the program has from the system beside its heap
	Limit   int64 // GOMEMLIMIT; math.MaxInt64 if there is none
}

// Keep returns how much all pools together may keep.
//
// What matters is how much room the live heap leaves, without what the pools keep
// themselves: a rule on the live heap alone would drop, find itself below its mark,
// keep again, and so on. With a heap that fills the room for good reasons a little is
// kept, because pools that are always empty make more garbage and more collections.
// The total memory says nothing: with GOGC=off it is always at the limit.
func (m Memory) Keep() int64 {
	if m.Limit == math.MaxInt64 {
		return math.MaxInt64
	}
	base := max(m.Live-m.Idle, 0)
	room := max(m.Limit-m.NotHeap, 0)
	return max(room/64, room/5*4-base)
}

// lastPressure is what the rule said last, for statistics.
var lastPressure atomic.Pointer[Pressure]

// A Pressure is what the rule looked at, and what it said.
type Pressure struct {
	Memory
	Kept int64     // how much all pools together may keep
	At   time.Time // when this was
}

// LastPressure returns what the pressure rule said last.
func LastPressure() Pressure {
	if p := lastPressure.Load(); p != nil {
		return *p
	}
	return Pressure{Memory: Memory{Limit: math.MaxInt64}, Kept: math.MaxInt64}
}

// yield drops what the pools keep beyond what m allows.
func yield(m Memory) {
	keep := m.Keep()
	lastPressure.Store(&Pressure{m, keep, time.Now()})
	if keep == math.MaxInt64 {
		return
	}
	if idle := idleBytes(); idle > keep {
		share := float64(idle-keep) / float64(idle)
		eachPool(func(p *Pool) { p.press(share) })
	}
}

// press drops a share of what p keeps, from 0 to 1: of each class first what lies on
// victims, then the oldest in its depot, and then what lies on stacks, of which none
// can be dropped in part.
func (p *Pool) press(share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.allClasses {
		due := int64(math.Ceil(float64(p.idleItems(c)) * share))
		dropped := int64(0)
		for l := range p.allRecords(c) {
			if dropped < due {
				dropped += int64(l.dropVictim())
			}
		}
		dropped += int64(c.depot.press(int(due - dropped)))
		for l := range p.allRecords(c) {
			if dropped < due {
				dropped += int64(l.drop())
			}
		}
		c.pressed.Add(uint64(dropped))
		p.noteDrop(dropped)
	}
}

// noteDrop notes when p dropped idle items last, if it did.
func (p *Pool) noteDrop(items int64) {
	if items > 0 {
		p.lastDrop.Store(int64(time.Since(started)))
	}
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
	for k := range p.classes {
		slices := p.classStats(&p.classes[k])
		inUse, traffic := slices.InUse(), slices.traffic()
		for _, o := range p.allObjects() { // these and slices of a class are the same memory in use
			s := p.classStats(&o.classes[k])
			inUse += int64(s.Hits()) - int64(s.Puts)
		}
		for _, o := range p.allObjects() {
			c := &o.classes[k]
			left = p.ageClass(c, p.classStats(c).traffic(), inUse, now, retain) || left
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
		p.dropClass(c)
		return false
	}
	if now-a.stepped < retain {
		return true
	}
	a.stepped = now
	dropped := 0
	for l := range p.allRecords(c) {
		dropped += l.idleVictim()
		if l.retire() {
			left = true
		}
	}
	kept, n := c.depot.age()
	p.noteDrop(int64(dropped + n))
	return left || kept > 0
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
	n := p.dropClass(c)
	c.trimmed.Add(uint64(n))
	return n * int64(c.capacity)
}

// dropClass drops everything that class c keeps and returns how many items that
// was. The caller holds p.mu.
func (p *Pool) dropClass(c *class) (items int64) {
	items = int64(c.depot.trim())
	for l := range p.allRecords(c) {
		items += int64(l.drop())
	}
	p.noteDrop(items)
	return items
}
