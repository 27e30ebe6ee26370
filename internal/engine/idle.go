package engine

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
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
// further apart than two collections find their memory. All pools together hold no more
// than the function retain says for that: 16 MiB, or an eighth of the live heap. Where there is a
// memory limit (GOMEMLIMIT) they hold nothing for which a collection would have to come
// sooner. So near the limit a pool behaves as a sync.Pool does.
//
// Bound. What nobody asks for does not pile up between collections (magazine, depot.go).
//
// Budget. A pool with a budget keeps no more than that (magazine, budget.go). Once it has
// refused something, the pool retains nothing until the next collection: what one class
// keeps must not starve the others.
//
// Nothing here asks for a collection. Retention is a second by default: without it a burst
// finds nothing after two collections (octet bench --run '^memory/op=burst').

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
	pressure := readMemory()
	retain := pressure.Retain
	lastPressure.Store(&pressure)
	eachPool(func(p *Pool) {
		if p.keeps.Load() {
			p.keeps.Store(false) // as above
			if p.age(now, &retain) {
				p.arm()
			}
		}
	})
}

// lastPressure is what the last collection found, for statistics.
var lastPressure atomic.Pointer[stats.Pressure]

// LastPressure returns what the last collection found.
func LastPressure() stats.Pressure {
	if p := lastPressure.Load(); p != nil {
		return *p
	}
	s := stats.Pressure{Limit: math.MaxInt64}
	s.Retain = retain(s)
	return s
}

// age has the classes of p take a step after a collection, and reports whether anything is
// left. All pools together may still hold room bytes.
func (p *Pool) age(now time.Duration, room *int64) (left bool) {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	p.lending.grown.Store(0)
	keep := magazine.Keep{Now: now, Retain: p.options.Retain, Room: room}
	if p.shared.Budget.Refused() {
		keep.Retain = 0
	}
	for c := range p.allClasses {
		inUse := p.inUse(c.index)
		held := inUse
		if c.row.objects > 0 {
			held = c.InUse(true)
		}
		c.held.look(held, now)
		more, dropped := c.Step(int(min(max(inUse, 0), math.MaxInt32)), &keep)
		left = left || more
		p.noteDrop(int64(dropped))
	}
	return left
}

// Trim drops everything that p keeps idle and returns how many bytes that was.
// What other goroutines release or get at the same time may or may not count.
func (p *Pool) Trim() (freed int64) {
	if p.size.Load() == nil {
		return 0 // a zero Pool
	}
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	for c := range p.allClasses {
		freed += p.drop(c)
	}
	return freed
}

// noteDrop notes when p dropped idle items last, if it did.
func (p *Pool) noteDrop(items int64) {
	if items > 0 {
		p.lastDrop.Store(int64(time.Since(started)))
	}
}
