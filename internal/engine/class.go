package engine

import (
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/sanitize"
)

// Head, Record and Item are what the fast paths of this package and those on top of it use
// of a class.
type (
	Head   = magazine.Head
	Record = magazine.Record
	item   = magazine.Item
)

// A row is classes side by side: those of slices, or those of objects of one type. A class
// is made when it is first used; its head is there before.
type row struct {
	stepped *steppedHeads // the heads where the grid is not plain, else nil
	heads   [magazine.PlainClasses]Head
	classes []atomic.Pointer[class]
	objects int // they have objects of the pool's n-th type, which keep slices of the class of the same number
}

type steppedHeads [magazine.SteppedClasses]Head

// head returns the head of class k.
func (r *row) head(k uint32) *Head {
	if r.stepped != nil {
		return &r.stepped[k%magazine.SteppedClasses]
	}
	return &r.heads[k%magazine.PlainClasses]
}

func (r *row) init(g grid) {
	if !g.Plain() {
		r.stepped = new(steppedHeads)
	}
	r.classes = make([]atomic.Pointer[class], g.Last()+1)
	for k := range r.classes {
		r.head(uint32(k)).Capacity = uintptr(g.Capacity(k))
	}
}

// each yields the classes that were made, and reports whether to go on.
func (r *row) each(yield func(*class) bool) bool {
	for k := range r.classes {
		if c := r.classes[k].Load(); c != nil && !yield(c) {
			return false
		}
	}
	return true
}

// A class is items of one capacity, and what the pool notes of them.
type class struct {
	magazine.Class
	row   *row
	index int          // its number
	lent  atomic.Int64 // slices that are out, of a class of the pool that exists for loans alone
	least least        // of a class of slices, with all smaller ones and what objects have; or of objects

	// In mode sample.
	seen    uint64        // requests that tick looked at; under Shared.Mu
	samples atomic.Int32  // requests still to be sampled
	weight  atomic.Uint64 // how many requests each of them stands for
}

// slicesInUse returns how many of c's slices were handed out and not released, without
// objects or with them, and how many loans c may still make. An object that was not there
// was not handed out: its slice is counted where it was made.
func (c *class) slicesInUse() (n, credits int64) { return c.Claims(c.row.objects == 0) }

// inUse returns how many slices of class k were handed out and not released, with and without
// objects, and how many loans they may still make. Where foreign ones were released, or others
// have grown into it, the number is negative. Who adds classes up reads the largest first: then
// what grows meanwhile counts twice, and not less than it is.
func (p *Pool) inUse(k int) (n, credits int64) {
	for _, o := range p.allObjects() { // first: what they have was made without them
		if c := o.classes[k].Load(); c != nil {
			inUse, more := c.slicesInUse()
			n += inUse
			credits += more
		}
	}
	if c := p.classes[k].Load(); c != nil {
		inUse, more := c.slicesInUse()
		n += inUse
		credits += more
	}
	return n, credits
}

// idleUpTo returns how many slices of classes up to k are idle, with objects or without.
func (p *Pool) idleUpTo(k int) (n int64) {
	for c := range p.allClasses {
		if c.index <= k && c.Capacity > 0 {
			n += int64(c.Idle())
		}
	}
	return n
}

// countMiss counts a request of class c that is served from new memory.
func (p *Pool) countMiss(c *class) {
	c.CountMiss()
	p.lending.free.made()
}

// usedBytes returns what the slices have that are in use, or were since the last collection
// that p aged after.
func (p *Pool) usedBytes() (n int64) {
	for c := range p.allClasses {
		inUse, _ := c.slicesInUse()
		n += (inUse + int64(c.Fresh())) * int64(c.Capacity)
	}
	return max(n, 0)
}

// class returns class k of r.
func (p *Pool) class(r *row, k int) *class {
	if c := r.classes[k].Load(); c != nil {
		return c
	}
	return p.makeClass(r, k)
}

func (p *Pool) makeClass(r *row, k int) *class {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	if c := r.classes[k].Load(); c != nil {
		return c
	}
	c, s, limit := &class{row: r, index: k}, p.size.Load(), 0
	h := r.head(uint32(k))
	if p.shared.Budget.Total == 0 || h.Capacity == 0 || s.has(k) { // none is set aside for others
		limit = p.shared.StackLimit(int(h.Capacity), (s.maxClass-s.minClass+1)<<r.objects)
	}
	c.Init(h, &p.shared, limit)
	p.open(c)
	r.classes[k].Store(c)
	return c
}

// allClasses yields the classes of slices that were made, and those of objects.
func (p *Pool) allClasses(yield func(*class) bool) {
	more := p.row.each(yield)
	for _, o := range p.allObjects() {
		more = more && o.row.each(yield)
	}
}

// open opens class c to the fast paths, unless there is a reason against it. The
// caller holds Shared.Mu.
func (p *Pool) open(c *class) { c.Open(!p.closes(c)) }

// closes reports whether class c is closed to the fast paths.
func (p *Pool) closes(c *class) bool {
	return !p.size.Load().has(c.index) || p.clear == ClearOnRelease ||
		sanitize.Enabled || check.Closes() || c.samples.Load() > 0 ||
		p.limiter != nil && (c.row.objects > 0 || p.portable) // these have no fast path that counts
}

// drop drops everything that class c keeps and returns how many bytes that was. The
// caller holds Shared.Mu.
func (p *Pool) drop(c *class) (freed int64) {
	beyond := int64(c.Counts().Odd)
	n := int64(c.Drop())
	p.noteDrop(n)
	return n*int64(c.Capacity) + beyond
}

// noteDrop notes when p dropped idle items last, if it did.
func (p *Pool) noteDrop(items int64) {
	if items > 0 {
		p.lastDrop.Store(int64(time.Since(started)))
	}
}
