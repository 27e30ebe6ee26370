package engine

import (
	"math/bits"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// Objects pools objects that keep a slice of a pool each, so that an object and
// its slice come and go in one operation. The objects stand in classes of their
// own beside the pool's: class k has those whose slice has a capacity of at
// least 1<<k, and class 0 those that have none. What they keep idle counts in
// the pool's Stats and budget, and goes back with Trim and after collections.
//
// An Objects is a handle. All methods are safe for concurrent use.
type Objects[T any] struct{ *objects }

// objects is Objects for any type.
type objects struct {
	pool      *Pool
	heads     [classCount]head
	classes   [classCount]class
	companion Companion
	sampled   uint64 // requests that were looked at in mode sample; under Pool.mu
}

// A Companion keeps further slices of a pool's classes idle, in a way of its
// own, and takes part in all that concerns idle memory. Age and Trim are called
// one at a time, Traffic at any time.
type Companion interface {
	// Age drops what was idle since the call before and reports whether
	// anything is left. It is called after collections, and there was one
	// between any two calls.
	Age() (left bool)

	// Trim drops all and returns how many bytes that were. It is also called
	// when the pool's sizes have changed.
	Trim() (freed int64)

	// Sample is called now and then in mode sample of package check, and has the
	// next n requests be picked.
	Sample(n int)

	// Traffic returns what happened in class k: how often a slice was taken
	// and put back, and how many are idle.
	Traffic(k int) (gets, puts, idle uint64)
}

// ObjectsOf returns the objects of p, which are of type T. The first call makes
// them, with the companion that it is given.
func ObjectsOf[T any](p *Pool, companion func(Objects[T]) Companion) Objects[T] {
	o := p.objectsOf(func(o *objects) Companion { return companion(Objects[T]{o}) })
	return Objects[T]{o}
}

func (p *Pool) objectsOf(companion func(*objects) Companion) *objects {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.objects.Load(); o != nil {
		return o
	}
	o := &objects{pool: p}
	if s := p.size.Load(); s != nil {
		p.initClasses(&o.classes, &o.heads, s)
	}
	o.classes[0].limit = slots
	o.classes[0].depot.capacity = 0
	o.companion = companion(o)
	p.objects.Store(o)
	return o
}

// Pool returns the pool whose slices the objects keep.
func (o Objects[T]) Pool() *Pool { return o.pool }

// Companion returns what ObjectsOf was given first.
func (o Objects[T]) Companion() Companion { return o.companion }

// Records returns how many records a class of p begins with, and whether p uses
// the portable engine, where they belong to stripes and not to processors.
func (p *Pool) Records() (n int, portable bool) { return p.records, p.portable }

// Plain reports whether p keeps slices, neither clears them nor has a budget.
func (p *Pool) Plain() bool {
	return p.size.Load() != nil && p.clear == ClearNever && !p.budget.bounded
}

// Take returns an idle object whose slice has room for at least size bytes, or
// nil if there is none. size is at least 1. For a size above the pool's largest
// the caller has to look at the capacity.
func (o Objects[T]) Take(size int) *T { return object[T](o.take(size)) }

// TakePinned returns an idle object of class k from the stack of processor pid,
// where the caller is pinned, or nil. It serves the pinned engine only.
func (o Objects[T]) TakePinned(pid uintptr, k uint8) *T { return object[T](o.takePinned(pid, k)) }

// TakeBare returns an idle object without a slice, or nil if there is none.
func (o Objects[T]) TakeBare() *T { return object[T](o.takeBare()) }

// Put keeps x, whose slice has the given capacity, if it fits and the budget
// has room.
func (o Objects[T]) Put(x *T, capacity int) Outcome { return o.put(objectItem(x), capacity) }

// PutLarge keeps x, whose slice has at least twice the capacity of the pool's
// largest, if the pool has no budget.
func (o Objects[T]) PutLarge(x *T, capacity int) bool { return o.putLarge(objectItem(x), capacity) }

// PutBare keeps x, which has no slice.
func (o Objects[T]) PutBare(x *T) { o.putBare(objectItem(x)) }

// An Outcome is what became of an object that was put.
type Outcome uint8

const (
	Kept    Outcome = iota
	Refused         // not kept: the budget is full
	Foreign         // not kept: it is for the pool's Release to say what becomes of the slice
)

// Class returns the smallest class for size bytes.
func Class(size int) uint8 { return uint8(ceilLog2(size)) }

// Class returns the class that serves size bytes, were there no largest.
func (p *Pool) Class(size int) uint8 {
	return uint8(bits.Len64(uint64(max(size, 1)-1) | uint64(p.newMask.Load())))
}

func (o *objects) takePinned(pid uintptr, k uint8) item {
	c := &o.heads[k%classCount]
	if pid < c.pinned.Load() {
		l := c.records.at(pid)
		if x := l.stack.Load().pop(&l.top); x.some() {
			l.gets++
			return x
		}
	}
	return item{}
}

func (o *objects) take(size int) item {
	if rt.Pinned && uintptr(size) <= o.pool.newPinned.Load() {
		pid := uintptr(rt.Pin())
		x := o.takePinned(pid, o.pool.Class(size))
		rt.Unpin()
		if x.some() {
			return x
		}
	}
	s := o.pool.size.Load()
	if s == nil {
		return item{}
	}
	k := s.classOf(size)
	if size > s.fit {
		k = bits.Len(uint(size)) - 1 // there, slices have no more than was asked for
	}
	return o.pool.get(&o.classes[k%classCount])
}

func (o *objects) put(x item, capacity int) Outcome {
	if rt.Pinned {
		if capacity&(capacity-1) == 0 && !o.pool.portable {
			pid := uintptr(rt.Pin())
			c := &o.heads[bits.TrailingZeros32(uint32(capacity))%classCount]
			if pid < c.pinned.Load() {
				l := c.records.at(pid)
				if l.stack.Load().push(&l.top, x) {
					l.puts++
					rt.Unpin()
					return Kept
				}
			}
			rt.Unpin()
		}
	}
	return o.putSlow(x, capacity)
}

// putSlow is put for everything. A pool that clears has its slices back: it
// clears them as it does others. So has one whose slices are checked.
func (o *objects) putSlow(x item, capacity int) Outcome {
	p := o.pool
	s := p.size.Load()
	if s == nil || p.clear != ClearNever || check.Sees(capacity) || capacity < 1<<s.minClass || capacity > 1<<s.maxClass {
		return Foreign
	}
	if !p.put(&o.classes[bits.Len(uint(capacity))-1], x) {
		return Refused
	}
	return Kept
}

func (o *objects) putLarge(x item, capacity int) bool {
	p := o.pool
	k := bits.Len(uint(capacity)) - 1
	return p.Plain() && !check.Sees(capacity) && k > p.size.Load().maxClass && k < classCount && p.put(&o.classes[k], x)
}

func (o *objects) takeBare() item {
	if o.pool.size.Load() == nil {
		return item{}
	}
	return o.pool.get(&o.classes[0])
}

func (o *objects) putBare(x item) {
	if o.pool.size.Load() != nil {
		o.pool.put(&o.classes[0], x)
	}
}

// addTo adds class k of the objects, and of their companion, to the statistics
// of the pool's class. To take a slice with an object is to get it, and to put it
// so is to release it; but an object that is not there is no request.
func (o *objects) addTo(s *Stats, k int, cs *ClassStats) {
	os := o.pool.classStats(&o.classes[k])
	gets, puts, idle := o.companion.Traffic(k)
	if z := o.pool.size.Load(); z == nil || cs.Gets+cs.Puts == 0 && (k > z.maxClass || k < z.minClass) {
		s.LargeIdle += (os.Idle + idle) * uint64(os.Capacity) // never was a class
		return
	}
	cs.Gets += os.Hits() + gets
	cs.Puts += os.Puts + puts
	cs.Refused += os.Refused
	cs.Idle += os.Idle + idle
	cs.Trimmed += os.Trimmed + less(puts, gets+idle)
}
