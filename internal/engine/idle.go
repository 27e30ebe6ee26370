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
// Budget. A pool with a budget keeps no more bytes than that. Stacks cannot be
// counted as they change: that would take a shared counter on the hot path. So half
// of the budget (and half of what is left then, for each type of objects) is set
// aside for stacks, in equal shares for each record and class, on the assumption
// that a stack and its victim are both full. What is left goes to the depots, which
// count exactly. A class for which there is no share lives in its depot, where each
// operation takes a lock. Items are counted with the capacity of their class, so a
// pool with a budget takes no slices that have more.
//
// Stacks. A stack holds at most stackBytes, but always an item if there is no budget, and
// its victim as much again.
//
// Bound. Memory that nobody takes must not pile up: what a collection marks counts
// as live, so that the next one begins later, and traffic in one direction would
// grow the heap like Fibonacci's numbers. So a depot keeps at most the sum of
//
//	the items that it kept after its last drop;
//	the gets that it failed to serve since the drop before that, or, if larger,
//	  the items that were in use at one of the last two collections;
//	spare.
//
// A burst that comes for the first time misses, or is in use at a collection, and
// so is kept when it ends. Memory that comes from elsewhere is not.
//
// Loans. A class into which more was released than was taken from it has slices that began
// smaller: the program takes what it expects to need, and appends more. Those who take
// would allocate each time, and what they release would serve nobody. So such a class
// lends: a request for less, whose own record has nothing, gets the smallest idle item
// of a class that lends, in full, and counts there. Capacities that are no class's are kept
// as they are for that (see row.odd). What a program keeps must not pin many times what
// it asked for; so a record lends one item, and more only as they come back: at most one
// more than have come back, and 64, are out. What a class is known to have too much
// of is looked at afresh with each step of age. Worst case: each record has lent what
// nobody returns: one item a class, or as many as returned since the last step. A pool
// with a limit does not lend, since it charges what was asked for.
//
// Age. Memory that is not used for a while goes back to the collector in two steps.
// First, each record's stack becomes its victim, from which gets take once the new
// stack is empty; so an item stays if it is used. Then the victim is dropped when the
// next stack takes its place. At each step a depot drops the items that it had all
// the time since the last one. After each collection age looks at a class, and takes
// a step if the last one is at least retain ago. A class that was not used at all for
// that long is dropped as a whole. So what was used within retain stays; and the
// second of two collections that are at least retain apart, both after the last use,
// drops what is left.
//
// Pressure. Where the program has a memory limit (GOMEMLIMIT), idle memory yields to
// it. After each collection two bounds are computed for what all pools together keep.
// Above the lower one, Retain, age works as if retain were 0: what was not used since
// the last collections is dropped. Above the higher one, Keep, the excess is dropped,
// used or not, from each pool in proportion, the oldest first. What is dropped is garbage
// until the next collection, and many pools that take turns fill the room before one: so
// until then they have a budget in common, of half of Keep less what they kept at the last
// one. Depots count against it exactly, and a new stack as if it were full.
//
// Budget, bound and pressure take precedence over age: they also drop what was used
// within retain. Nothing here asks for a collection.
//
// By default (bytespool.DefaultRetain) retain is a second. Without retention, a burst
// that follows another after two collections finds nothing: 100 % of 256 slices of 64
// KiB are allocated again, with a second or more none (octet bench --run
// '^memory/op=burst'). What retention costs is memory where bursts of one size follow
// those of another. With 32 MiB in use, 32 MiB live beside it, and a new size every
// 0.7 seconds, the peak heap was 361 MiB with none, 471 to 651 with a second and 686
// with five, at the same processor time (op=phases; AMD EPYC, 2 cores). Five seconds
// gain only what is used less than once a second, and whose misses therefore cost
// little. Programs that run steadily (--run '^real') see no difference in time or
// memory.
//
// Worst case: with a budget, the budget. Without, each record of a class has stackBytes on
// its stack, as much on its victim, and as much of odd items; and the depot the items that
// were in use at once within the last two steps, and twice the spare. Of slices of 128 KiB
// to 4 MiB that come from elsewhere two processors keep 60 MiB.

// stackBytes is what one stack holds at most, if it holds more than an item: a lock is
// nothing beside the use of as much memory.
const stackBytes = 1 << 20

// spare returns how many items of the given capacity a depot keeps beyond what was
// used: four batches, but not more than 1 MiB, and at least one item.
func spare(capacity int) int {
	const batches, bytes = 4, 1 << 20
	return max(1, min(batches*len(batch{}), bytes/max(capacity, 1)))
}

// A bound says how much a depot keeps at most. The depot's lock guards it.
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

// started is the moment from which durations are counted.
var started = time.Now()

// armed is set while a sentinel waits for the next collection.
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
	armed.Store(false) // first: a release that age does not see arms again
	now := time.Since(started)
	memory := readMemory()
	if memory.Limit != math.MaxInt64 {
		memory.Idle = idleBytes() // before age drops what has just been marked
	}
	tight := process.refused.Swap(false) || memory.Idle > memory.Retain()
	eachPool(func(p *Pool) {
		if p.keeps.Load() {
			p.keeps.Store(false) // as above
			if p.age(now, tight) {
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
// What matters is how much room the live heap leaves, not counting what the pools keep
// themselves: a rule on the whole live heap would drop, find itself below its limit,
// keep again, and so on. If the rest of the heap fills the room, a little is kept all
// the same, because pools that are always empty make more garbage and more collections.
// The total memory says nothing: with GOGC=off it is always at the limit.
func (m Memory) Keep() int64 {
	if m.Limit == math.MaxInt64 {
		return math.MaxInt64
	}
	room, base := m.room()
	return max(room/64, room/5*4-base)
}

// Retain returns how much all pools together may keep although nobody uses it.
//
// Near the limit, memory that is kept leaves less room for garbage, so that
// collections come sooner, and each costs as much as the live heap. Memory that is
// used between two collections is worth that: without it there would be as much more
// garbage. Memory that is not used may take only the room beyond twice the live heap:
// then collections come no sooner than they do by default (GOGC=100) without a limit.
func (m Memory) Retain() int64 {
	if m.Limit == math.MaxInt64 {
		return math.MaxInt64
	}
	room, base := m.room()
	return max(room/64, min(room/5*4-base, room-2*base))
}

// room returns the memory that the limit leaves for the heap, and how much of that is
// live beside what the pools keep.
func (m Memory) room() (room, base int64) {
	return max(m.Limit-m.NotHeap, 0), max(m.Live-m.Idle, 0)
}

// lastPressure is the last result of the rules, for statistics.
var lastPressure atomic.Pointer[Pressure]

// A Pressure is what the rule looked at, and its result.
type Pressure struct {
	Memory
	Keep, Retain int64     // what the methods of Memory said
	At           time.Time // when this was
}

// LastPressure returns the last result of the pressure rule.
func LastPressure() Pressure {
	if p := lastPressure.Load(); p != nil {
		return *p
	}
	m := Memory{Limit: math.MaxInt64}
	return Pressure{Memory: m, Keep: m.Keep(), Retain: m.Retain()}
}

// yield drops what the pools keep beyond what m allows, and sets what they may take until
// the next collection.
func yield(m Memory) {
	keep := m.Keep()
	lastPressure.Store(&Pressure{m, keep, m.Retain(), time.Now()})
	process.limit.Store(m.Limit)
	process.on.Store(keep < math.MaxInt64)
	if keep == math.MaxInt64 {
		return
	}
	if idle := idleBytes(); idle > keep {
		share := float64(idle-keep) / float64(idle)
		eachPool(func(p *Pool) { p.press(share) })
	}
	process.left.Store(keep/2 - idleBytes())
}

// watch has the bound on what all pools take in force before the first collection, and
// after the limit has changed.
func watch() {
	m := readMemory()
	if m.Limit != process.limit.Load() {
		if m.Limit != math.MaxInt64 {
			m.Idle = idleBytes()
		}
		yield(m)
	}
}

// press drops a share, from 0 to 1, of what p keeps: of each class first the victims,
// then the oldest items in its depot, and then stacks. Victims and stacks can only be
// dropped whole.
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

// age is called after a collection. It drops what p has kept for long enough, or
// without retention if memory is tight, and reports whether anything is left.
func (p *Pool) age(now time.Duration, tight bool) (left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	retain := p.retain
	if p.budget.refused.Swap(false) || tight { // what one class keeps must not starve the others
		retain = 0
	}
	for k := range p.classes {
		inUse, traffic := p.inUse(k), p.classStats(&p.classes[k]).traffic()
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
	c.known.Store(max(c.known.Load(), p.surplus(c)))
	p.setLendsLocked(c, false)
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
