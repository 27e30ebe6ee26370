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
// Budget. A pool with a budget keeps no more bytes than that. Depots count exactly. To count
// stacks as they change would take a shared counter on the hot path: half of the budget (and
// of what is left then, for each type of objects) is set aside for them, in equal shares for
// each record and class, as if stacks and victims were full. A class without a share lives
// in its depot. Slices that have more than their class are not kept.
//
// Bound. Memory that nobody takes must not pile up: it would count as live, and make each
// heap goal the sum of the last two. So a stack, and its victim, hold at most stackBytes,
// but always one item. They hold more, wideBytes on all stacks of a class, while its depot
// serves gets: one processor takes what another releases. And a depot keeps at most what it
// kept after its last drop, and the gets that it failed to serve since the drop before that
// or, if larger, the items in use at one of the last two collections; and spare. A first
// burst misses, or is in use at a collection, and so is kept; what comes from elsewhere is
// not.
//
// Loans. Programs take what they expect to need, and append more. Takes would always
// allocate, and releases serve nobody. So the class into which slices grew last lends: one
// into which more was released than was taken, or into which Append moved; or the next
// larger one, if what was released has more than its class. A request for less that finds
// its stack empty gets an item of it, in full, idle or new, and counts there. Up to twice
// the largest, classes exist for this alone. Held memory must not pin many times what it was
// asked for: a loan has at most lendTimes what the request's class has, and a record lends
// less than lendBytes, or one item, until something comes back, or what has grown in its place.
// That is the worst case of each class that has lent. A step of its age ends the lending.
// Pools with a limit, which charge what was asked for, do not lend.
//
// Age. Memory that is not used for a while goes back to the collector in two steps. First,
// each record's stack becomes its victim, from which gets take once the new stack is empty;
// so an item stays if it is used. Then the victim is dropped when the next stack takes its
// place. At each step a depot drops the items that it had all the time since the last one.
// After each collection age looks at a class, and takes a step if the last one is at least
// retain ago. A class that was not used at all for that long is dropped as a whole.
//
// Pressure. Where the program has a memory limit (GOMEMLIMIT), idle memory yields to it. If
// all pools together keep more than Retain after a collection, age works as if retain were
// 0; what is above Keep is dropped, used or not, in proportion, the oldest first. What is
// dropped is garbage until the next collection, before which pools that take turns fill the
// room. Until then all have one budget: half of Keep, less what they kept at the last. New
// stacks count as full.
//
// Nothing here asks for a collection. Retain is a second by default: without it a burst
// finds nothing after two collections (octet bench --run '^memory/op=burst'); with five,
// idle memory of past sizes needs more heap (op=phases).
//
// Worst case: with a budget, the budget. Without, a record of a class has a full stack and
// victim, and a depot what was in use at once within the last two steps, and twice the spare:
// 60 MiB of slices of 128 KiB to 4 MiB that come from elsewhere, with two processors.

// stackBytes is what one stack holds at most, if it holds more than one item, and wideBytes
// what all stacks of a class hold while its depot serves gets.
const stackBytes, wideBytes = 1 << 20, 64 << 20

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

// A sentinel is found unreachable by the next collection: then its finalizer has the
// pools look at what they keep. There is one, if any keeps something. (Cleanups of a
// processor that GOMAXPROCS takes away wait until it comes back: Go 1.25 to 1.27.)
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
		if p.keeps.Load() {
			for c := range p.allClasses {
				n += p.idleItems(c) * int64(c.capacity)
			}
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
// What matters is the room beside the live heap without what the pools keep: a rule on
// all that is live would drop, find itself below its limit, and keep again. A little is
// kept in any case, since pools that are always empty make more garbage. The total memory
// says nothing: with GOGC=off it is always at the limit.
func (m Memory) Keep() int64 {
	if m.Limit == math.MaxInt64 {
		return math.MaxInt64
	}
	room, base := m.room()
	return max(room/64, room/5*4-base)
}

// Retain returns how much all pools together may keep although nobody uses it.
// It makes collections come sooner, unless it takes only the room beyond twice the live
// heap: then they come no sooner than by default (GOGC=100).
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

// yield drops what the pools keep beyond m, and sets what they may take from now on.
func yield(m Memory) {
	keep := m.Keep()
	lastPressure.Store(&Pressure{m, keep, m.Retain(), time.Now()})
	process.limit.Store(m.Limit % math.MaxInt64)
	if keep == math.MaxInt64 {
		return
	}
	if idle := idleBytes(); idle > keep {
		eachPool(func(p *Pool) { p.press(float64(idle-keep) / float64(idle)) })
	}
	process.left.Store(keep/2 - idleBytes())
}

// watch has the bound on what all pools take in force before the first collection, and
// after the limit has changed.
func watch() {
	if m := readMemory(); m.Limit%math.MaxInt64 != process.limit.Load() {
		m.Idle = idleBytes()
		yield(m)
	}
}

// press drops a share, from 0 to 1, of what p keeps: of each class first victims, then the
// oldest items in its depot, and then stacks. Victims and stacks are dropped whole.
func (p *Pool) press(share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.allClasses {
		due := int64(math.Ceil(float64(p.idleItems(c)) * share))
		dropped := int64(0)
		for l := range p.allRecords(c).each {
			if dropped < due {
				dropped += int64(l.dropVictim())
			}
		}
		dropped += int64(c.depot.press(int(due - dropped)))
		for l := range p.allRecords(c).each {
			if dropped < due {
				dropped += int64(l.drop())
			}
		}
		c.pressed.Add(uint64(dropped))
		p.noteDrop(dropped)
	}
}

// age drops, after a collection, what p has kept for long enough, or without retention
// if memory is tight, and reports whether anything is left.
func (p *Pool) age(now time.Duration, tight bool) (left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	retain := p.retain
	if p.budget.refused.Swap(false) || tight { // what one class keeps must not starve the others
		retain = 0
	}
	for k := range p.classes {
		inUse := p.inUse(k)
		left = p.ageClass(&p.classes[k], inUse, now, retain) || left
		for _, o := range p.allObjects() {
			left = p.ageClass(&o.classes[k], inUse, now, retain) || left
		}
	}
	return left
}

// ageClass is age for class c, of which so many items are in use. The caller holds p.mu.
func (p *Pool) ageClass(c *class, inUse int64, now, retain time.Duration) (left bool) {
	traffic := p.classStats(c).traffic()
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
	c.serves.Store(max(0, c.serves.Load()-1))
	p.grown.CompareAndSwap(uint32(c.index), 0)
	dropped := 0
	for l := range p.allRecords(c).each {
		dropped += l.idleVictim()
		if l.retire() {
			left = true
		}
	}
	kept, n := c.depot.age()
	p.noteDrop(int64(dropped + n))
	return left || kept > 0
}
