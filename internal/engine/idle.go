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
// the function retain says: 16 MiB, or a tenth of the live heap; but a retention that the program
// has ordered holds all that was used. Where there is a memory limit (GOMEMLIMIT) they hold nothing
// for which a collection would have to come sooner, as a sync.Pool.
//
// Bound. What nobody asks for does not pile up between collections (magazine, bound.go): beyond what
// was in use, as many as are in use are kept in all, up to excessBytes, since they may have grown.
//
// Budget. A pool with a budget keeps no more than that (magazine, budget.go). Once it has
// refused something, the pool retains nothing until the next collection: what one class
// keeps must not starve the others.
//
// Nothing here asks for a collection. Retention is a second by default: without it a burst
// finds nothing after two collections (BenchmarkMemory, cmd/octet/internal/groups).

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
	ordered := spare(pressure) - room
	for p := range pools.all {
		if p.keeps.Load() {
			p.keeps.Store(false) // first: a release that age does not see arms again
			mine := &room
			if p.ordered {
				mine = &ordered
			}
			if p.age(now, mine) {
				p.arm()
			}
		}
	}
}

// age has the classes of p take a step after a collection, and reports whether anything is
// left. It, and other pools after it, may still hold room bytes.
func (p *Pool) age(now time.Duration, room *int64) (left bool) {
	all := p.census()
	p.lending.mu.Lock()
	p.lookAt(&all)
	p.lending.mu.Unlock()
	p.shared.Excess.Refill(all.inUse, excessBytes)
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	keep := magazine.Keep{Now: now, Retain: p.options.Retain, Room: room}
	if p.shared.Budget.Refused() {
		keep.Retain = 0
	}
	for c := range p.allClasses {
		more, dropped := c.Step(int(min(max(all.byClass[c.index()], 0), math.MaxInt32)), &keep)
		left = left || more
		p.noteDrop(int64(dropped))
	}
	return left
}

// usedBytes returns what the slices have that are in use, or were since the last collection
// that p aged after.
func (p *Pool) usedBytes() (n int64) {
	for c := range p.allClasses {
		n += (c.slicesInUse() + int64(c.Fresh())) * int64(p.bytes(c))
	}
	return max(n, 0)
}
