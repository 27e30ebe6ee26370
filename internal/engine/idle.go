package engine

import (
	"math"
	"time"

	"github.com/octet-go/octet/internal/collection"
	"github.com/octet-go/octet/internal/magazine"
)

// How much idle memory pools keep, and for how long. The promise is that no pattern of use
// needs more memory than a sync.Pool, or hardly more.
//
// Age. After each collection every class takes a step (magazine, age.go): what is idle is
// retired, and gone with the next collection if nobody takes it until then, as from a
// sync.Pool.
//
// Retention. What was used within the pool's retention is held instead: bursts that are
// further apart than two collections find their memory. All pools together hold no more than
// the function retain says: 16 MiB, or a tenth of the live heap. Where there is a memory
// limit (GOMEMLIMIT) they hold nothing for which a collection would have to come sooner. So
// near the limit a pool behaves as a sync.Pool does.
//
// Bound. What nobody asks for does not pile up between collections (magazine, bound.go). Who
// lets a slice grow has asked for what it becomes.
//
// Budget. A pool with a budget keeps no more than that (magazine, budget.go). Once it has
// refused something, the pool retains nothing until the next collection: what one class
// keeps must not starve the others.
//
// Nothing here asks for a collection. Retention is a second by default: without it a burst
// finds nothing after two collections (octet bench --run '^memory/op=burst').

func init() { collection.After(agePools) }

// usedLately has what all pools that keep something used.
var usedLately lately

// agePools has the pools that may keep something age. What one of them holds for retention is
// not left for the next.
func agePools() {
	now := time.Since(started)
	used := int64(0)
	for p := range pools.all {
		if p.keeps.Load() {
			used += p.usedBytes()
		}
	}
	pressure := readMemory(usedLately.add(used))
	lastPressure.Store(&pressure)
	room := pressure.Retain
	for p := range pools.all {
		if p.keeps.Load() {
			p.keeps.Store(false) // first: a release that age does not see arms again
			if p.age(now, &room) {
				p.arm()
			}
		}
	}
}

// grownBytes is what the slices have, in all classes of a pool, that are taken for grown ones in
// use: what is held of smaller sizes cannot be told from them.
const grownBytes = 16 << 20

// age has the classes of p take a step after a collection, and reports whether anything is
// left. All pools together may still hold room bytes.
func (p *Pool) age(now time.Duration, room *int64) (left bool) {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	p.lending.end()
	inUse := p.lookAtUse(now)
	p.assumeGrown(&inUse)
	keep := magazine.Keep{Now: now, Retain: p.options.Retain, Room: room}
	if p.shared.Budget.Refused() {
		keep.Retain = 0
	}
	for c := range p.allClasses {
		more, dropped := c.Step(int(min(inUse[c.index], math.MaxInt32)), &keep)
		left = left || more
		p.noteDrop(int64(dropped))
	}
	return left
}

// perClass is a number for each class.
type perClass [magazine.SteppedClasses]int64

// lookAtUse returns how many slices of each class are in use after a collection, as Pool.inUse
// says, and has all classes look at it.
func (p *Pool) lookAtUse(now time.Duration) (inUse perClass) {
	sum := -p.grownBeyond()
	for k := len(p.classes) - 1; k >= 0; k-- {
		inUse[k], _ = p.inUse(k)
	}
	for k := 1; k < len(p.classes); k++ { // class 0 has objects without a slice
		sum += inUse[k]
		if c := p.classes[k].Load(); c != nil {
			c.least.look(sum, now)
		}
	}
	for c := range p.allClasses {
		if c.row.objects > 0 {
			c.least.look(c.InUse(true), now)
		}
	}
	return inUse
}

// assumeGrown puts, in place of numbers below 0, how many slices in use may have grown into the
// class: those of the classes that it lends to without a credit. Larger classes come first, since
// what has grown into them was taken from the smaller ones, too.
func (p *Pool) assumeGrown(inUse *perClass) {
	rest := int64(grownBytes)
	for k := len(p.classes) - 1; k >= 0; k-- {
		if inUse[k] >= 0 { // or slices of smaller classes have grown into it, or foreign ones were released
			continue
		}
		n, capacity := inUse[k], int64(p.grid.Capacity(k))
		for j := k - 1; j >= 0 && lendFreely*int64(p.grid.Capacity(j)) >= capacity; j-- {
			n += inUse[j]
		}
		inUse[k] = max(0, min(n, rest/capacity))
		rest -= inUse[k] * capacity
	}
}
