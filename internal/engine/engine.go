// Package engine pools memory by capacity class, with a stack of idle items per
// class and processor.
//
// # Map
//
//	size.go    which size belongs to which class
//	engine.go  Pool: a row of classes; New and Release, fast and slow
//	objects.go Objects: pooled together with the slices that they keep
//	class.go   class: the records of the processors, and how to hold one
//	stack.go   stack: a few idle items, touched by one holder at a time
//	depot.go   depot: what the stacks of a class have too many of, under a lock
//	budget.go  how much a stack may hold, and a pool
//	trim.go    what happens after a collection, and Trim
//	stats.go   what the counters say
//	checked.go what is different while misuse is looked for
//	item_*.go  what is pooled: a bare pointer, or a slice under octet_purego
//
// # Levels
//
// A release pushes onto the stack of its class and processor, and a get pops
// from it. A stack that is full moves its older half to the depot of the class;
// a stack that is empty takes a batch from there. This is the design of Bonwick
// and Adams, "Magazines and Vmem" (USENIX 2001), with tcmalloc's stacks per
// processor in place of theirs per CPU lock.
//
// # Who owns what
//
// A record (type local) and the stacks it points at belong to whoever holds the
// record: in the pinned engine the goroutine pinned to that processor, in the
// portable engine the goroutine that locked that stripe. Only the holder reads
// or writes a stack's items, and nobody else ever does. An item is on at most
// one stack or depot, so that it is handed out once for each time it came in.
//
// What follows a collection (trim.go) takes stacks away from records without
// holding them: it swaps pointers, and never looks into a stack. The pointers
// change in two ways only, and each has one author:
//
//	stack: X → &blocked       trimming, one at a time, under Pool.mu
//	stack: &blocked → X       the holder
//
// What an operation puts on a stack that was just taken away is lost to the
// collector, and costs a later allocation.
package engine

import (
	"math/bits"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/dirty"
	"github.com/octet-go/octet/internal/percpu"
	"github.com/octet-go/octet/internal/sanitize"
)

// A Clear says when a pool clears memory.
type Clear uint8

const (
	ClearNever   Clear = iota
	ClearNew           // the length asked for, when it is handed out
	ClearRelease       // the whole capacity, when it comes back
)

// Config is what a pool is made of.
type Config struct {
	Name             string
	MinSize, MaxSize int
	Budget           int64 // bytes kept idle at most; 0 means no bound
	Clear            Clear
	Portable         bool // use the portable engine even where pinning is possible
}

// A Pool keeps byte slices of released capacity for later requests. Make one
// with Init. All methods are safe for concurrent use.
type Pool struct {
	// The fast paths read these. Reconfigure changes them one by one while
	// operations run: whichever values an operation sees, it stays within a class,
	// and a class never changes its capacity.
	newMask    atomic.Uintptr // smallest class's capacity - 1
	newPinned  atomic.Uintptr // the largest size that the pinned fast path serves; 0 for none
	newStriped atomic.Uintptr // the same of the portable one
	portable   bool           // use stripes; never changes

	heads   [classCount]head
	classes [classCount]class

	objects atomic.Pointer[objects] // nil if nobody asked for them

	size    atomic.Pointer[sizes]
	name    string
	id      uint64
	clear   Clear
	records int // in a class's first table
	budget  budget

	out struct { // traffic that no class sees; beside it an allocation or a refusal
		count, bytes       atomic.Uint64
		tooSmall, tooLarge atomic.Uint64
	}

	armed atomic.Bool // a sentinel waits for the next collection
	mu    sync.Mutex  // held to trim, to add records and to configure
}

// Init makes p usable. It must not be called twice.
func (p *Pool) Init(c Config) {
	p.name, p.id = c.Name, check.NewPoolID()
	p.clear = c.Clear
	p.portable = c.Portable || !percpu.Pinned
	p.records = recordCount(p.portable)
	s := newSizes(c.MinSize, c.MaxSize)
	p.budget.init(c.Budget)
	p.initClasses(&p.classes, &p.heads, s)
	register(p) // first: a change of the mode that configure does not see follows here
	p.configure(s)
}

// initClasses makes a row of classes. Where there is a budget, those that s does
// not have get no stacks: none of it is set aside for them.
func (p *Pool) initClasses(classes *[classCount]class, heads *[classCount]head, s *sizes) {
	share := p.budget.stackShare(s, p.records)
	for k := range classes {
		c := &classes[k]
		c.head = &heads[k]
		if !p.budget.bounded || s.minClass <= k && k <= s.maxClass {
			c.limit = p.budget.stackLimit(k, share)
		}
		c.depot.capacity = 1 << min(k, lastClass)
		c.depot.budget = &p.budget
	}
}

// allClasses yields the classes of slices, and those of objects if there are any.
func (p *Pool) allClasses(yield func(*class) bool) {
	for k := range p.classes {
		if !yield(&p.classes[k]) {
			return
		}
	}
	if o := p.objects.Load(); o != nil {
		for k := range o.classes {
			if !yield(&o.classes[k]) {
				return
			}
		}
	}
}

// Reconfigure changes the sizes that p serves. Slices of classes that p no
// longer has are turned down from now on, and those it kept are dropped. A zero
// Pool stays one.
func (p *Pool) Reconfigure(minSize, maxSize int) {
	if p.size.Load() != nil {
		p.configure(newSizes(minSize, maxSize))
	}
}

func (p *Pool) configure(s *sizes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size.Store(s)
	p.newMask.Store(uintptr(1)<<s.minClass - 1)
	switch {
	case p.clear == ClearNew:
	case p.portable:
		p.newStriped.Store(uintptr(s.fit))
	default:
		p.newPinned.Store(uintptr(s.fit))
	}
	for c := range p.allClasses {
		p.open(c)
		if c.depot.capacity < 1<<s.minClass || c.depot.capacity > 1<<s.maxClass {
			p.trimClass(c)
		}
	}
	if o := p.objects.Load(); o != nil {
		o.companion.Trim()
	}
}

// Sizes returns the bounds as they were given, clamped.
func (p *Pool) Sizes() (minSize, maxSize int) {
	if s := p.size.Load(); s != nil {
		return s.min, s.max
	}
	return 0, 0
}

// New returns a slice of length size, or 0 if size is negative, whose capacity
// is its class; above the largest size, of capacity size. It panics if no slice
// can be that large.
func (p *Pool) New(size int) []byte {
	if percpu.Pinned {
		if uintptr(size) <= p.newPinned.Load() {
			// Little is alive across the calls, so that little is spilled.
			pid := uintptr(percpu.Pin())
			k := bits.Len32(uint32(uintptr(size-1)|p.newMask.Load())) % classCount
			c := &p.heads[k]
			if pid < c.pinned.Load() {
				l := c.records.at(pid)
				s := l.stack.Load()
				if i := s.top; i < slots && s.items[i].some() {
					x := s.remove(i)
					l.gets++
					percpu.Unpin()
					return x.slice(size, k)
				}
			}
			percpu.Unpin()
		}
	}
	if uintptr(size) <= p.newStriped.Load() {
		k := bits.Len32(uint32(uintptr(size-1)|p.newMask.Load())) % classCount
		c := &p.heads[k]
		if l := c.own(); l != nil && l.mu.TryLock() {
			s := l.stack.Load()
			// If the class was closed meanwhile, what is here may be tracked.
			if i := s.top; i < slots && s.items[i].some() && c.striped.Load() != 0 {
				x := s.remove(i)
				l.gets++
				l.mu.Unlock()
				return x.slice(size, k)
			}
			l.mu.Unlock()
		}
	}
	return p.newSlow(size)
}

// newSlow is New for everything: it is kept out of line so that New has the
// fast path alone.
func (p *Pool) newSlow(size int) []byte {
	if check.Current() != check.Off {
		return p.newChecked(size)
	}
	return p.newUnchecked(size)
}

// newUnchecked is newSlow for what nobody checks.
func (p *Pool) newUnchecked(size int) []byte {
	s := p.size.Load()
	if s == nil || size > s.fit {
		return p.newOutside(size)
	}
	size = max(size, 0)
	k := s.classOf(size)
	x := p.get(&p.classes[k])
	var b []byte
	if x.some() && !check.Strict() { // else the mode has just changed, and x may be tracked
		b = x.slice(size, k)
	} else {
		b = dirty.Make(1 << k)[:size]
	}
	if sanitize.Enabled {
		sanitize.Reused(b)
	}
	if p.clear == ClearNew {
		clear(b)
	}
	return b
}

// newOutside returns a slice that no class has room for.
func (p *Pool) newOutside(size int) []byte {
	if uint64(max(size, 0)) > maxSlice {
		panic("bytespool: size " + strconv.Itoa(size) + " is larger than any slice can be")
	}
	size = max(size, 0)
	p.out.count.Add(1)
	p.out.bytes.Add(uint64(size))
	b := p.allocate(size)
	if p.clear == ClearNew {
		clear(b)
	}
	return b
}

// Release files the memory of buf under the largest class that fits and reports
// whether it was kept. The caller must not use the memory afterwards.
//
// The fast path takes a capacity that is a class's: what New handed out. Its
// class then follows from the trailing zeros; no class 0 or 32 is ever open.
func (p *Pool) Release(buf []byte) bool {
	if n := cap(buf); n&(n-1) == 0 {
		if percpu.Pinned && !p.portable {
			pid := uintptr(percpu.Pin())
			c := &p.heads[bits.TrailingZeros32(uint32(cap(buf)))%classCount]
			if pid < c.pinned.Load() {
				l := c.records.at(pid)
				if l.stack.Load().push(itemOf(buf)) {
					l.puts++
					percpu.Unpin()
					return true
				}
			}
			percpu.Unpin()
		}
		c := &p.heads[bits.Len32(uint32(n)>>1)%classCount] // the same, which the compiler need not keep
		if l := c.own(); l != nil && l.mu.TryLock() {
			if l.stack.Load().push(itemOf(buf)) {
				l.puts++
				l.mu.Unlock()
				return true
			}
			l.mu.Unlock()
		}
	}
	return p.releaseSlow(buf[:0])
}

// releaseSlow is Release for everything.
func (p *Pool) releaseSlow(buf []byte) bool {
	if check.Current() != check.Off {
		return p.releaseChecked(buf)
	}
	return p.releaseUnchecked(buf)
}

// releaseUnchecked is releaseSlow for what nobody checks.
func (p *Pool) releaseUnchecked(buf []byte) bool {
	n := cap(buf)
	takes := p.takes(n)
	if p.clear == ClearRelease {
		clear(buf[:n]) // also what no class takes: it may hold a secret as well
	}
	if sanitize.Enabled && n > 0 {
		sanitize.Released(buf)
	}
	if !takes {
		return false
	}
	return p.put(&p.classes[bits.Len(uint(n))-1], itemOf(buf))
}

// takes reports whether a class takes slices of capacity n, and counts those that
// none does.
func (p *Pool) takes(n int) bool {
	s := p.size.Load()
	switch {
	case n == 0:
		return false
	case s == nil || n > 1<<s.maxClass && check.ClassCapacity(n) > 1<<s.maxClass:
		p.out.tooLarge.Add(1)
		return false
	case n < 1<<s.minClass:
		p.out.tooSmall.Add(1)
		return false
	}
	return true
}

// get takes an idle item of class c: from the holder's stack, from what the
// stack held before the last collection, from the depot, and in the portable
// engine from other stripes. It returns none if there is no idle item.
func (p *Pool) get(c *class) item {
	l := p.hold(c)
	l.gets++
	x := l.stack.Load().pop()
	if !x.some() {
		if v := l.victim.Load(); v != nil {
			x = v.pop()
		}
	}
	if !x.some() {
		l.empty++
	}
	p.leave(l)
	if x.some() {
		return x
	}

	return p.restock(c, l)
}

// restock takes a batch from the depot, leaves all but one of it on the stack of
// the caller, who held l, and returns that one. What finds no room goes back.
func (p *Pool) restock(c *class, l *local) item {
	var batch batch
	n := c.depot.take(batch[:max(1, c.limit/2)])
	if n == 0 {
		if p.portable {
			return c.steal()
		}
		return item{}
	}
	n--
	x := batch[n]
	l = p.holdAgain(c, l)
	s := l.stack.Load()
	if s == &blocked {
		l, s = p.provide(c, l) // or every get would move a batch to and fro
	}
	rest := s.fill(batch[:n])
	p.leave(l)
	if rest > 0 {
		c.depot.give(batch[:rest])
	}
	p.Arm() // age may have looked while the batch was nowhere
	return x
}

// put keeps x in class c and reports whether it did.
func (p *Pool) put(c *class, x item) bool {
	kept := p.push(c, x)
	p.Arm() // last: age, if it found the pool empty, must not have missed x
	return kept
}

// push puts x onto the holder's stack. If there is none, it provides one; if it
// is full, it makes room; if the budget allows none, x goes to the depot.
func (p *Pool) push(c *class, x item) bool {
	l := p.hold(c)
	s := l.stack.Load()
	if s == &blocked {
		l, s = p.provide(c, l)
	}
	l.puts++
	if s.push(x) {
		p.leave(l)
		return true
	}
	if s == &blocked {
		p.leave(l)
		return c.depot.give([]item{x})
	}
	p.overflow(c, l, s, x)
	return true
}

// provide gives the caller's record a stack if the budget allows one. The caller
// holds l; provide may leave it to hold another, and returns the record that the
// caller then holds, with its stack.
func (p *Pool) provide(c *class, l *local) (*local, *stack) {
	var fresh *stack
	for {
		s := l.stack.Load()
		if s != &blocked || l.limit == 0 {
			return l, s
		}
		if v := l.victim.Load(); v != nil && v.len() == 0 {
			l.victim.Store(nil) // everything on it was used: it serves again
			fresh = v
		}
		if fresh != nil {
			l.stack.Store(fresh)
			return l, fresh
		}
		p.leave(l)
		fresh = newStack(c.limit) // allocates: not while the record is held
		l = p.holdAgain(c, l)
	}
}

// overflow moves the older half of s, which is full, to the depot and pushes x.
// The caller holds l; overflow leaves it.
func (p *Pool) overflow(c *class, l *local, s *stack, x item) {
	var batch batch
	n := s.shift(&batch)
	s.push(x)
	p.leave(l)
	c.depot.give(batch[:n])
}
