package engine

import (
	"math"
	"slices"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// Objects pools objects that keep a slice of a pool each, so that an object and
// its slice come and go in one operation. The objects stand in classes of their
// own beside the pool's: class k has those whose slice has at least the capacity
// of the pool's class k, and class 0 those that have none. What they keep idle counts in
// the pool's Stats and budget, and goes back with Trim and after collections.
//
// An Objects is a handle. All methods are safe for concurrent use.
type Objects[T any] struct{ *objects }

// objects is Objects for any type.
type objects struct {
	pool    *Pool
	kind    any           // a nil *T
	stepped *steppedHeads // as in a Pool
	heads   [plainClasses]head
	classes []class
}

// head returns the head of class k.
func (o *objects) head(k uint32) *head {
	if o.stepped != nil {
		return &o.stepped[k%steppedClasses]
	}
	return &o.heads[k%plainClasses]
}

// ObjectsOf returns the objects of p that are of type T. The first call for a type
// makes them.
func ObjectsOf[T any](p *Pool) Objects[T] { return Objects[T]{p.objectsOf((*T)(nil))} }

func (p *Pool) objectsOf(kind any) *objects {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.allObjects() {
		if o.kind == kind {
			return o
		}
	}
	o := &objects{pool: p, kind: kind}
	if p.stepped != nil {
		o.stepped = new(steppedHeads)
	}
	if s := p.size.Load(); s != nil { // or it is a zero Pool, which keeps nothing
		o.classes = p.newClasses(&o.heads, o.stepped, s)
		o.classes[0].capacity, o.classes[0].limit = 0, slots
		o.classes[0].depot.init(0, &p.budget)
	}
	all := append(slices.Clone(p.allObjects()), o)
	p.objects.Store(&all)
	return o
}

// allObjects returns the objects that p has, of all types.
func (p *Pool) allObjects() []*objects {
	if all := p.objects.Load(); all != nil {
		return *all
	}
	return nil
}

// Pool returns the pool whose slices the objects keep.
func (o Objects[T]) Pool() *Pool { return o.pool }

// NoClass is a number that no class has.
const NoClass = 1<<8 - 1

// Class returns the class of objects whose slices have room for size bytes.
func (p *Pool) Class(size int) uint8 {
	last := max(uint64(max(size, 1)-1), uint64(p.newMask.Load()))
	if last > math.MaxUint32 {
		return NoClass
	}
	return uint8(p.grid.classWith(uint32(last)))
}

// Capacity returns the bytes that slices of class k have.
func (p *Pool) Capacity(k uint8) int { return p.grid.capacity(int(k)) }

// Take returns an idle object of class k. If there is none it returns nil, and
// whether package check is to track the object that the caller makes then.
func (o Objects[T]) Take(k uint8) (x *T, track bool) {
	y, track := o.take(k)
	return object[T](y), track
}

// TakeBare is Take for an object without a slice.
func (o Objects[T]) TakeBare() (x *T, track bool) {
	y, track := o.takeSlow(0)
	return object[T](y), track
}

// Put keeps x, whose slice has the given capacity, if a class takes it and the
// budget has room.
func (o Objects[T]) Put(x *T, capacity int) Outcome { return o.put(objectItem(x), capacity) }

// PutBare keeps x, which has no slice.
func (o Objects[T]) PutBare(x *T) { o.putBare(objectItem(x)) }

// An Outcome is what became of an object that was put.
type Outcome uint8

const (
	Kept    Outcome = iota
	Refused         // not kept: there is too much idle memory
	Foreign         // not kept: the caller is to release the slice to the pool
)

func (o *objects) take(k uint8) (x item, track bool) {
	if rt.Pinned {
		pid := uintptr(rt.Pin())
		c := o.head(uint32(k))
		if pid < c.pinned.Load() {
			l := c.records.at(pid)
			if s, i := l.stack.Load(), l.top; s.has(i) {
				x := s.remove(i, &l.top)
				l.gets++
				rt.Unpin()
				return x, false
			}
		}
		rt.Unpin()
	}
	return o.takeSlow(int(k))
}

// takeSlow is take for everything.
func (o *objects) takeSlow(k int) (x item, track bool) {
	p := o.pool
	s := p.size.Load()
	if s == nil || k > s.maxClass {
		return item{}, check.Strict()
	}
	c := &o.classes[k]
	switch {
	case check.Strict():
		return item{}, true
	case check.Current() == check.Sample && p.sample(c) > 0:
		p.countMiss(c)
		return item{}, true
	}
	return p.get(c), false
}

func (o *objects) put(x item, capacity int) Outcome {
	if rt.Pinned {
		pid := uintptr(rt.Pin())
		c := o.head(o.pool.grid.classWith(uint32(capacity - 1)))
		if pid < c.pinned.Load() && c.capacity == uintptr(capacity) {
			l := c.records.at(pid)
			if l.stack.Load().push(&l.top, x) {
				l.puts++
				rt.Unpin()
				return Kept
			}
		}
		rt.Unpin()
	}
	return o.putSlow(x, capacity)
}

// putSlow is put for everything. A pool that clears has its slices back: it
// clears them as it does others. So has one whose slices are checked.
func (o *objects) putSlow(x item, capacity int) Outcome {
	p := o.pool
	s := p.size.Load()
	if s == nil || p.clear != ClearNever || check.Sees(capacity) || !s.takes(capacity) {
		return Foreign
	}
	c := &o.classes[p.grid.floor(capacity)]
	if p.budget.bounded && uintptr(capacity) != c.capacity {
		return Foreign
	}
	if !p.put(c, x) {
		return Refused
	}
	return Kept
}

func (o *objects) putBare(x item) {
	if o.pool.size.Load() != nil {
		o.pool.put(&o.classes[0], x)
	}
}

// addTo adds class k of the objects to the statistics of the pool's class. To take
// a slice with an object is to get it, and to put it so is to release it; but an
// object that is not there is no request.
func (o *objects) addTo(k int, cs *ClassStats) {
	os := o.pool.classStats(&o.classes[k])
	cs.Gets += os.Hits()
	cs.Puts += os.Puts
	cs.Idle += os.Idle
	cs.Dropped.add(os.Dropped)
}
