package engine

import (
	"math"
	"slices"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
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

// ObjectsOf returns the objects of p that are of type T. The first call for a type
// makes them.
func ObjectsOf[T any](p *Pool) Objects[T] { return Objects[T]{p.objectsOf((*T)(nil))} }

func (p *Pool) objectsOf(kind any) *objects {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	for _, o := range p.allObjects() {
		if o.kind == kind {
			return o
		}
	}
	o := &objects{pool: p, kind: kind}
	if p.size.Load() != nil { // or it is a zero Pool, which keeps nothing
		o.row.init(p.grid)
		o.row.objects = len(p.allObjects()) + 1
		o.row.head(0).Capacity = 0
	}
	all := append(slices.Clone(p.allObjects()), o)
	p.objects.Store(&all)
	return o
}

// Pool returns the pool whose slices the objects keep.
func (o Objects[T]) Pool() *Pool { return o.pool }

const (
	NoClass    = 1<<8 - 1 // a number that no class has
	MaxClassed = math.MaxInt32
)

// HeadOf returns what the fast paths need of the class that keeps slices of n bytes, at least 1, or
// nil if there is none.
func (o Objects[T]) HeadOf(n int) *Head { return o.headOf(n) }

// TryTake returns an idle object for a request for size bytes, of class k, and the least capacity of
// its slice. It returns nil if the caller's processor has none, or there is anything out of the
// ordinary. Then call Take.
func (o Objects[T]) TryTake(k uint8, size int) (*T, uintptr) {
	x := o.pool.takeHere(&o.row, uint32(k), size, 0)
	return magazine.Object[T](x.item), x.capacity
}

// Pop takes the newest object from l, or returns nil. The caller holds l. If the object has more than
// it asked for, that is a loan (see [Record.CountLoan] and [Pool.Look]).
func (o Objects[T]) Pop(l *Record) *T { return magazine.Object[T](l.Pop()) }

// Push keeps x if l has room for it, and reports whether it did. The caller holds l, of
// a class whose Capacity is that of x's slice. If x was not kept, call Put once l is
// unpinned.
func (o Objects[T]) Push(l *Record, x *T) bool { return l.Push(magazine.ItemOfObject(x)) }

// Take is TryTake, and looks wherever there may be idle objects. If there is none it returns nil,
// and whether package check is to track the object that the caller makes then. For the request,
// counted bytes count against a limit; if x has more, that counts as well. Otherwise the caller
// charges the slice of the object.
func (o Objects[T]) Take(k uint8, size int, counted int64) (x *T, capacity uintptr, track bool) {
	y, track := o.take(int(k), &request{size: size, lend: true, counted: counted})
	return magazine.Object[T](y.item), y.capacity, track
}

// TakeBare is Take for an object without a slice.
func (o Objects[T]) TakeBare() (x *T, track bool) {
	y, track := o.take(0, new(request))
	return magazine.Object[T](y.item), track
}

// NewTracked returns a slice of class k and of length size, for an object that the
// caller makes because Take said that it is to be tracked: package check tracks the
// slice. The caller charges it.
func (o Objects[T]) NewTracked(k uint8, size int) []byte { return o.newSlice(k, size) }

// Put keeps x, whose slice has the given capacity, if a class takes it and the
// budget has room.
func (o Objects[T]) Put(x *T, capacity int) Outcome { return o.put(magazine.ItemOfObject(x), capacity) }

// PutBare keeps x, which has no slice.
func (o Objects[T]) PutBare(x *T) { o.putBare(magazine.ItemOfObject(x)) }

// An Outcome is what became of an object that was put.
type Outcome uint8

const (
	Kept    Outcome = iota
	Refused         // not kept: there is too much idle memory
	Foreign         // not kept: the caller is to release the slice to the pool
)

// headOf is [Objects.HeadOf].
func (o *objects) headOf(n int) *Head {
	k := o.pool.grid.ClassWith(uint32(n - 1))
	if c := o.head(k); c.Capacity == uintptr(n) {
		return c
	}
	if s := o.pool.size.Load(); s != nil && s.takes(n) {
		return o.headAt(2*k - 1)
	}
	return nil
}

// tryPut is [Objects.Put] if the caller's processor has room for x, and nothing is out of the ordinary.
func (o *objects) tryPut(x item, capacity int) (ok bool) {
	c := o.headOf(capacity)
	if rt.Pinned && c != nil {
		if l := c.Record(rt.Pin()); l != nil {
			ok = l.Push(x)
		}
		rt.Unpin()
	}
	return ok
}

// take is [Objects.Take].
func (o *objects) take(k int, r *request) (x loan, track bool) {
	p := o.pool
	s := p.size.Load()
	if s == nil || k > s.maxClass {
		return loan{}, check.Strict()
	}
	c := p.class(&o.row, k)
	switch {
	case check.Strict():
		return loan{}, true
	case check.Current() == check.Sample && p.sample() > 0:
		c.CountMiss()
		return loan{}, true
	}
	return p.take(c, r), false
}

func (o *objects) newSlice(k uint8, size int) []byte {
	p := o.pool
	s := p.size.Load()
	if check.Current() != check.Sample || s == nil || int(k) > s.maxClass {
		return p.serve(&request{size: size})
	}
	// Take has counted a request for the object alone.
	p.class(&p.row, int(k)).CountMiss()
	return check.NewSampled(p.grid.Capacity(int(k)), p, p.sampler.Weight())[:size]
}

// put is [Objects.Put]. In a pool that clears, or whose slices are checked, the caller
// must release the slice apart from the object.
func (o *objects) put(x item, capacity int) Outcome {
	if o.tryPut(x, capacity) {
		return Kept
	}
	p := o.pool
	s := p.size.Load()
	if s == nil || p.clear != ClearNever || check.Strict() {
		return Foreign
	}
	if !s.takes(capacity) {
		return Foreign
	}
	k, exact := p.grid.Exact(capacity)
	if !exact && p.limiter != nil { // what is lent there counts in full, and nobody would ask for the rest
		return Foreign
	}
	c := p.class(&o.row, k)
	if !exact {
		c = p.oddClass(&o.row, k-1)
	}
	kept := p.put(c, x)
	p.discharge(capacity)
	if !kept {
		return Refused
	}
	return Kept
}

func (o *objects) putBare(x item) {
	if o.pool.size.Load() != nil {
		o.pool.put(o.pool.class(&o.row, 0), x)
	}
}
