// Package engine pools memory by capacity class, with a stack of idle items per
// class and processor.
//
// # Map
//
//	size.go      which size belongs to which class
//	engine.go    Pool: a row of classes
//	new.go       New: a slice from the stack, the depot or the allocator
//	release.go   Release: the way back
//	class.go     class: the records of the processors, and how to pin one
//	record.go    record: a processor's stack and counters
//	lend.go      how a class serves requests for less than it has
//	stack.go     stack: a few idle items, touched by one holder at a time
//	depot.go     depot: the overflow list of a class, under a lock
//	objects.go   Objects: pooled together with the slices that they keep
//	idle.go      how much idle memory is kept, and for how long
//	trim.go      Trim: everything idle goes at once
//	budget.go    how a budget is divided and counted
//	metrics.go   what the runtime says of memory
//	limit.go     limiter: a bound on what is in use
//	admit.go     requests for admission, those who wait, reservations
//	registry.go  all pools
//	stats.go     what the counters say
//	checked.go   what is different while misuse is looked for
//	item_*.go    what is pooled: a bare pointer, or a slice under octet_purego
//	class_*.go   how a record is found in its table
//
// # Levels
//
// A release pushes onto the stack of its class and processor, and a get pops
// from it. A stack that is full moves its older half to the depot of the class;
// a stack that is empty takes a batch from there. This is the design of Bonwick
// and Adams, "Magazines and Vmem" (USENIX 2001), except that a processor's stack
// needs no lock, as in tcmalloc.
//
// # Who owns what
//
// A record and the stacks it points at belong to the holder of the record: in the
// pinned engine the goroutine pinned to that processor, in the portable engine the
// goroutine that locked that stripe. Only the holder ever reads or writes a stack's
// items. An item is on at most one stack or in one depot, so that it is handed out
// once for each time it was released.
//
// Trimming, which follows a collection (idle.go), takes stacks away from records
// without holding them: it swaps pointers, and never looks into a stack. The
// pointers change in two ways only, and each has one author:
//
//	stack: X → &blocked       trimming, one at a time, under Pool.mu
//	stack: &blocked → X       the holder
//
// An item that an operation puts on a stack that was just taken away is lost to the
// collector. That costs a later allocation.
package engine

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// A Clear says when a pool clears memory.
type Clear uint8

const (
	ClearNever   Clear = iota
	ClearNew           // the length asked for, when it is handed out
	ClearRelease       // the whole capacity, when it comes back
)

// Config says what Init makes.
type Config struct {
	Name             string
	MinSize, MaxSize int
	Budget           int64         // bytes kept idle at most; 0 means no bound
	Retain           time.Duration // what was used within this time stays
	Limit            int64         // bytes in use at most, of those that ask for admission; 0 means none
	Waiters          int           // for admission, at most
	Clear            Clear
	Steps            int  // classes a doubling: 1, 2 or 4; 0 means 1
	Portable         bool // use the portable engine even where pinning is possible
	Handle           any  // what Handle returns: it must not keep the pool alive
}

// A Pool keeps byte slices of released capacity for later requests. Make one
// with Init. All methods are safe for concurrent use.
type Pool struct {
	// The fast paths read these. Reconfigure changes them one by one while
	// operations run: whichever values an operation sees, it stays within a class,
	// and a class never changes its capacity.
	newMask    atomic.Uintptr // smallest class's capacity - 1
	newPinned  atomic.Uintptr // the largest size that the pinned fast path serves; 0 for none
	newStepped atomic.Uintptr // the same where there are steps
	newStriped atomic.Uintptr // the same of the portable one
	portable   bool           // use stripes; this and the next three never change
	plain      bool           // not portable, and without steps and limit
	grid       grid

	pinnedStepped *steppedHeads // of a pool with steps, in the pinned engine, without a limit, else nil

	row
	grown   atomic.Uint32              // the class into which a slice grew last, 0 for none: see lend.go
	objects atomic.Pointer[[]*objects] // by type; see allObjects

	size    atomic.Pointer[sizes]
	name    string
	handle  any
	id      uint64
	clear   Clear
	records int // in a class's first table
	budget  budget
	counts  bool // has a budget or a limit: all slices that it keeps have the capacity of their class
	retain  time.Duration

	out struct { // traffic that no class sees; beside it an allocation or a refusal
		count, bytes       atomic.Uint64
		tooSmall, tooLarge atomic.Uint64
	}

	limiter *limiter // nil without a limit

	keeps    atomic.Bool  // whether it may keep something: the next collection looks
	lastDrop atomic.Int64 // when idle items were dropped last, since started; 0 if never
	mu       sync.Mutex   // held to trim, to add records and to configure
}

// Of returns the pool inside a *bytespool.CapacityPools. Package bytespool sets
// it: the packages on top of it need the engine, and its users do not.
var Of func(pools any) *Pool

// A row is classes side by side: those of slices, or those of objects of one type.
type row struct {
	stepped *steppedHeads      // their heads where there are steps, else nil
	heads   [plainClasses]Head // and where there are none
	classes []class
}

type steppedHeads [steppedClasses]Head

// head returns the head of class k.
func (r *row) head(k uint32) *Head {
	if r.stepped != nil {
		return &r.stepped[k%steppedClasses]
	}
	return &r.heads[k%plainClasses]
}

// Init makes p usable. It must not be called twice.
func (p *Pool) Init(c Config) {
	p.name, p.handle, p.id = c.Name, c.Handle, check.NewPoolID()
	p.clear = c.Clear
	p.portable = c.Portable || !rt.Pinned
	p.records = recordCount(p.portable)
	g := grid{log2: uint32(bits.Len(uint(max(c.Steps, 1))) - 1)}
	p.grid = g
	p.plain = !p.portable && g.log2 == 0 && c.Limit <= 0
	s := newSizes(c.MinSize, c.MaxSize, g)
	p.budget.init(c.Budget)
	p.retain = max(c.Retain, 0)
	p.initRow(&p.row, s)
	if !p.portable && c.Limit <= 0 {
		p.pinnedStepped = p.stepped
	}
	if c.Limit > 0 {
		p.limiter = &limiter{name: c.Name, limit: c.Limit, most: int64(c.Waiters)}
	}
	p.counts = c.Budget > 0 || c.Limit > 0
	register(p) // first: a change of the mode that configure does not see follows here
	p.configure(s)
}

// initRow makes the classes of r. Where there is a budget, those that s does not have get
// no stacks: none of it is set aside for them.
func (p *Pool) initRow(r *row, s *sizes) {
	if p.grid.log2 > 0 {
		r.stepped = new(steppedHeads)
	}
	share, wide := p.budget.stackShare(s, p.records)
	r.classes = make([]class, s.last()+1)
	for k := range r.classes {
		c := &r.classes[k]
		c.index, c.row, c.Head = k, r, r.head(uint32(k))
		c.capacity = uintptr(s.capacity(k))
		if !p.budget.bounded || s.has(c) {
			c.limit, c.wide = p.budget.stackLimit(int(c.capacity), share), p.budget.stackLimit(int(c.capacity), wide)
		}
		c.depot.init(int(c.capacity), &p.budget)
	}
}

// allClasses yields the classes of slices, and those of objects if there are any.
func (p *Pool) allClasses(yield func(*class) bool) {
	more := p.row.each(yield)
	for _, o := range p.allObjects() {
		more = more && o.row.each(yield)
	}
}

// each yields the classes of r, and reports whether to go on.
func (r *row) each(yield func(*class) bool) bool {
	for k := range r.classes {
		if !yield(&r.classes[k]) {
			return false
		}
	}
	return true
}

// Reconfigure changes the sizes that p serves. Slices of classes that p no
// longer has are rejected from now on, and those it kept are dropped. A zero
// Pool stays one.
func (p *Pool) Reconfigure(minSize, maxSize int) {
	if s := p.size.Load(); s != nil {
		p.configure(newSizes(minSize, maxSize, s.grid))
	}
}

func (p *Pool) configure(s *sizes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size.Store(s)
	p.grown.Store(0)
	p.newMask.Store(uintptr(s.least) - 1)
	switch {
	case p.clear == ClearNew:
	case p.limiter != nil:
		p.limiter.open.Store(uintptr(s.fit))
	case p.plain:
		p.newPinned.Store(uintptr(s.fit))
	case p.stepped == nil:
		p.newStriped.Store(uintptr(s.fit))
	case !p.portable:
		p.newStepped.Store(uintptr(s.fit))
	}
	for c := range p.allClasses {
		p.open(c)
		c.lent.Store(0)
		if !s.has(c) {
			p.trimClass(c)
		}
	}
}

// Handle returns what [Config] has.
func (p *Pool) Handle() any { return p.handle }

// Clears returns when p clears memory.
func (p *Pool) Clears() Clear { return p.clear }

// Budget returns the bytes that p keeps idle at most, 0 if there is no bound.
func (p *Pool) Budget() int64 { return p.budget.total }

// Retain returns how long what was used stays.
func (p *Pool) Retain() time.Duration { return p.retain }

// Steps returns how many classes there are a doubling.
func (p *Pool) Steps() int { return 1 << p.grid.log2 }

// Sizes returns the bounds as they were given, clamped.
func (p *Pool) Sizes() (minSize, maxSize int) {
	if s := p.size.Load(); s != nil {
		return s.min, s.max
	}
	return 0, 0
}
