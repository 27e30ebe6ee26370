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
// is made when it is first used; its head is there before. Between two classes stands the odd
// class, for what has more than the one and less than the other: append has made it, or somebody
// else. So the row is in order of capacity.
type row struct {
	stepped *steppedHeads // the heads where the grid is not plain, else nil
	heads   [magazine.PlainClasses]Head
	classes []atomic.Pointer[class] // class k, and the odd class behind it, are at 2k and 2k+1
	objects int                     // they have objects of the pool's n-th type, which keep slices of the class of the same number
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
	r.classes = make([]atomic.Pointer[class], 2*(g.Last()+1))
	for k := range g.Last() + 1 {
		r.head(uint32(k)).Capacity = uintptr(g.Capacity(k))
	}
}

// each yields the classes that were made, and reports whether to go on.
func (r *row) each(yield func(*class) bool) bool {
	for at := range r.classes {
		if c := r.classes[at].Load(); c != nil && !yield(c) {
			return false
		}
	}
	return true
}

// A class is items of one capacity, or, if it is odd, of more than that and less than the next.
type class struct {
	magazine.Class
	row   *row
	index int // its number
	odd   bool
	grown atomic.Bool // slices have grown to it, or it is odd: it lends

	loans magazine.Loans // that look has seen; under lending.mu
}

// at returns the place of c in its row.
func (c *class) at() int {
	if c.odd {
		return 2*c.index + 1
	}
	return 2 * c.index
}

// slicesInUse returns how many of c's slices were handed out and not released, without objects or
// with them. An object that was not there was not handed out: its slice is counted where it was
// made. Where foreign ones were released, or others have grown into c, the number is negative.
func (c *class) slicesInUse() int64 { return c.InUse(c.row.objects == 0) }

// bytes returns what an item of c counts: an odd one as much as one of the next class.
func (p *Pool) bytes(c *class) int {
	if c.odd {
		return p.grid.Capacity(c.index + 1)
	}
	return int(c.Capacity)
}

// usedBytes returns what the slices have that are in use, or were since the last collection
// that p aged after.
func (p *Pool) usedBytes() (n int64) {
	for c := range p.allClasses {
		n += (c.slicesInUse() + int64(c.Fresh())) * int64(p.bytes(c))
	}
	return max(n, 0)
}

// class returns class k of r, and oddClass the odd class behind it.
func (p *Pool) class(r *row, k int) *class { return p.classAt(r, 2*k) }

func (p *Pool) oddClass(r *row, k int) *class { return p.classAt(r, 2*k+1) }

func (p *Pool) classAt(r *row, at int) *class {
	if c := r.classes[at].Load(); c != nil {
		return c
	}
	return p.makeClass(r, at)
}

func (p *Pool) makeClass(r *row, at int) *class {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	if c := r.classes[at].Load(); c != nil {
		return c
	}
	c, s, room := &class{row: r, index: at / 2, odd: at%2 > 0}, p.size.Load(), 0
	h := r.head(uint32(c.index))
	if c.odd {
		h = &Head{Capacity: h.Capacity, Beyond: uintptr(p.grid.Capacity(c.index+1)-1) - h.Capacity}
	}
	c.Head = h
	bytes := p.bytes(c)
	if p.shared.Budget.Total == 0 || h.Capacity == 0 || s.has(c.index) { // none is set aside for others
		room = p.shared.StackRoom(bytes, 2*(s.maxClass-s.minClass+1)<<r.objects)
	}
	c.Init(h, &p.shared, room, bytes)
	p.open(c)
	c.grown.Store(c.odd)
	r.classes[at].Store(c)
	return c
}

// allClasses yields the classes of slices that were made, and those of objects.
func (p *Pool) allClasses(yield func(*class) bool) {
	more := p.row.each(yield)
	for _, o := range p.allObjects() {
		more = more && o.row.each(yield)
	}
}

// openAll opens all classes, unless there is a reason against it. The caller holds Shared.Mu.
func (p *Pool) openAll() {
	for c := range p.allClasses {
		p.open(c)
	}
}

// open opens class c to the fast paths, unless there is a reason against it. The
// caller holds Shared.Mu.
func (p *Pool) open(c *class) { c.Open(!p.closes(c)) }

// closes reports whether class c is closed to the fast paths.
func (p *Pool) closes(c *class) bool {
	return !p.size.Load().has(c.index) || p.clear == ClearOnRelease ||
		sanitize.Enabled || check.Closes() || p.samples.Load() > 0 ||
		p.limiter != nil && (c.row.objects > 0 || p.portable) // these have no fast path that counts
}

// drop drops everything that class c keeps and returns how many bytes that was. The
// caller holds Shared.Mu.
func (p *Pool) drop(c *class) (freed int64) {
	n := int64(c.Drop())
	p.noteDrop(n)
	return n * int64(p.bytes(c))
}

// noteDrop notes when p dropped idle items last, if it did.
func (p *Pool) noteDrop(items int64) {
	if items > 0 {
		p.lastDrop.Store(int64(time.Since(started)))
	}
}
