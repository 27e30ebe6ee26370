package engine

import (
	"math/bits"
	"sync/atomic"

	"github.com/octet-go/octet/internal/magazine"
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
	at    int            // its place there
	loans magazine.Loans // that look has seen; under lending.mu
}

// index returns the number of c, and odd whether it is the odd class behind that.
func (c *class) index() int { return c.at / 2 }

func (c *class) odd() bool { return c.at%2 > 0 }

// lends lets c lend from now on.
func (c *class) lends() { c.row.grown.set(c.at) }

// lookWhetherGrown finds out whether more has come back to c than was taken from it: those have grown,
// or come from elsewhere.
func (c *class) lookWhetherGrown() {
	if !c.row.grown.has(c.at) && c.Puts() > c.Gets() { // in this order: see Puts
		c.lends()
	}
}

// slicesInUse returns how many of c's slices were handed out and not released, without objects or
// with them. An object that was not there was not handed out: its slice is counted where it was
// made. Where foreign ones were released, or others have grown into c, the number is negative.
func (c *class) slicesInUse() int64 { return c.InUse(c.row.objects == 0) }

// A loan is an item, and the bytes that it has: of an object, its slice.
type loan struct {
	item
	capacity uintptr
}

// loanOf returns x, an item of class c of r, or none.
func (r *row) loanOf(c *Head, x item) loan {
	if c.Beyond > 0 && r.objects == 0 && x.Some() {
		return loan{x, x.OddCapacity()}
	}
	return loan{x, c.Capacity}
}
