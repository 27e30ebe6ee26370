package engine

import (
	"math/bits"
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
	heads   [2 * magazine.PlainClasses]Head
	classes []atomic.Pointer[class] // class k, and the odd class behind it, are at 2k and 2k+1
	grown   marks                   // of those to which slices have grown, and of the odd ones: these lend
	objects int                     // they have objects of the pool's n-th type, which keep slices of the class of the same number
}

type steppedHeads [2 * magazine.SteppedClasses]Head

// head returns the head of class k.
func (r *row) head(k uint32) *Head { return r.headAt(2 * k) }

// headAt returns the head of the class at a place.
func (r *row) headAt(at uint32) *Head {
	if r.stepped != nil {
		return &r.stepped[at%uint32(len(r.stepped))]
	}
	return &r.heads[at%uint32(len(r.heads))]
}

func (r *row) init(g grid) {
	if !g.Plain() {
		r.stepped = new(steppedHeads)
	}
	r.classes = make([]atomic.Pointer[class], 2*(g.Last()+1))
	for at := range uint32(len(r.classes)) {
		c := r.headAt(at)
		c.Capacity = uintptr(g.Capacity(int(at / 2)))
		if at%2 > 0 && int(at/2) < g.Last() {
			c.Beyond = uintptr(g.Capacity(int(at/2)+1)-1) - c.Capacity
		}
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

// marks are set for some of the places of a row.
type marks [2 * magazine.SteppedClasses / 64]atomic.Uint64

func (m *marks) set(at int) { m[at/64].Or(1 << (at % 64)) }

func (m *marks) has(at int) bool { return m[at/64].Load()>>(at%64)&1 > 0 }

// next returns the first place with a mark that is not before at, or -1.
func (m *marks) next(at int) int {
	for ; at < 64*len(m); at = (at | 63) + 1 {
		if left := m[at/64%len(m)].Load() >> (at % 64); left != 0 {
			return at + bits.TrailingZeros64(left)
		}
	}
	return -1
}

// A class is items of one capacity, or, if it is odd, of more than that and less than the next.
type class struct {
	magazine.Class
	row   *row
	index int // its number
	odd   bool

	loans magazine.Loans // that look has seen; under lending.mu
}

// at returns the place of c in its row.
func (c *class) at() int {
	if c.odd {
		return 2*c.index + 1
	}
	return 2 * c.index
}

// lends lets c lend from now on.
func (c *class) lends() { c.row.grown.set(c.at()) }

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
	h := r.headAt(uint32(at))
	c.Head = h
	bytes := p.bytes(c)
	if p.shared.Budget.Total == 0 || h.Capacity == 0 || s.has(c.index) { // none is set aside for others
		room = p.shared.StackRoom(bytes, 2*(s.maxClass-s.minClass+1)<<r.objects)
	}
	c.Init(h, &p.shared, room, bytes)
	p.open(c)
	r.classes[at].Store(c)
	if c.odd {
		c.lends()
	}
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
