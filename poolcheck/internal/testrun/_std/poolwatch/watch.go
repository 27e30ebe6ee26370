// Package poolwatch checks what a program does with the objects of its sync.Pools.
//
// The command poolcheck test adds it to the standard library for one build, by the go
// command's flag -overlay, and makes sync.Pool call it. So it can import only what
// package sync can, and it uses no sync.Pool. It uses no maps, either: the race detector
// would see their accesses. The command puts //go:norace in front of each function. All
// of the state is under one lock.
//
// # Map
//
//	watch.go    Put and Get, and the queue of idle objects
//	memory.go   what belongs to an object: saved, overwritten, compared, restored
//	types.go    where the parts of a type are
//	place.go    the places of Put, and what their poison looks like
//	learn.go    which slices in structs belong to the struct
//	pages.go    memory that is made inaccessible at Put
//	report.go   the lines of the report file
//	runtime.go  what package runtime does for this one
//	config.go   what the command wants of this process
//	table.go    a hash table
//	built.go    whether this is a program of poolcheck build
//	sample.go   there: the few objects that are watched
//	slots.go    there: memory that Put makes inaccessible
//	finding.go  there: what was found, and where that is written
package poolwatch

import (
	"internal/abi"
	"internal/race"
	"internal/runtime/exithook"
	"internal/strconv"
	"internal/sync"
	"runtime"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Bounds on what the queue keeps.
const (
	maxBytes   = 64 << 20 // of objects, as far as their size is known, and of saved contents
	maxEntries = 1 << 15
	lateAfter  = 64 // idle objects that a pool has before one of them is reused late

	// smallHeap is the live heap up to which objects may wait through any number of
	// collections. In a larger heap they wait for as long as in a sync.Pool, since what
	// hangs on an object may be much larger than the object.
	smallHeap = 48 << 20
)

// A Pool is the objects that a sync.Pool keeps, which has the only pointer to it. So they
// are collected with the sync.Pool: nothing else here points to an object.
type Pool struct {
	self weak.Pointer[Pool]
	idle []held // the oldest first
	gone int    // how many were taken from the front
}

// A held is an object that is idle.
type held struct {
	*entry
	obj     any
	base    unsafe.Pointer // the memory at its address
	regions []region
}

// An entry stands for an idle object in the queue.
type entry struct {
	id         uintptr // what tells it from others: its address, or its array's
	end        uintptr // the end of its array, 0 if it is no slice
	typ        *typeInfo
	place      *place
	pool       weak.Pointer[Pool]
	nth        int       // it is idle[nth-gone] of its pool
	heaps      []uintptr // where it stands in byHeap
	prev, next *entry    // in the queue
	saved      []byte
	kept       int // size of the object and of its slices
	epoch      uint32
	poisoned   bool
	emptied    bool // its slice header was
	again      bool // it was put a second time, so that any change is the second owner's
}

var (
	mu      sync.Mutex
	byID    table[entry]
	byEnd   table[entry]
	byHeap  table[entry] // by the heap object that a region begins with
	queue   entry        // a ring: the next is the oldest
	waiting int          // entries
	bytes   int
	spare   held // to use again
	epoch   atomic.Uint32
	aged    uint32 // the epoch of the last call of age
	puts    int
	opaques int // puts of what has no memory in the heap
	pushed  int // objects that had to leave because too much waited
)

func init() {
	if Active = !built && getenv("POOLCHECK_WATCH") != ""; Active {
		configure()
		queue.prev, queue.next = &queue, &queue
		exithook.Add(exithook.Hook{F: atExit, RunOnFailure: true})
	}
}

// Active says whether this process is watched. If not, sync.Pool is as always.
var Active bool

type eface struct {
	typ  *abi.Type
	data unsafe.Pointer
}

// Collected is called at the start of each collection, while the world is stopped.
func Collected() { epoch.Add(1) }

// lock locks mu without an edge that the race detector would see.
func lock() {
	if race.Enabled {
		race.Disable()
	}
	mu.Lock()
}

func unlock() {
	mu.Unlock()
	if race.Enabled {
		race.Enable()
	}
}

// Put puts x, which is not nil, into a pool, for sync.Pool.Put. At edge the race detector
// is to see what happens before the Get that returns x.
func Put(p **Pool, x any, edge unsafe.Pointer) {
	var pcs [keyFrames + 2]uintptr
	n := callers(pcs[:])
	lock()
	if *p == nil {
		*p = new(Pool)
		(*p).self = weak.Make(*p)
	}
	if e := epoch.Load(); e != aged {
		aged = e
		age()
	}
	put(*p, x, edge, pcs[:n])
	unlock()
}

func put(p *Pool, x any, edge unsafe.Pointer, pcs []uintptr) {
	puts++
	i := (*eface)(unsafe.Pointer(&x))
	t := typeOf(i.typ)
	where := placeOf(pcs, t)
	if !ours(i.data) {
		t = &opaque
	}
	if t.opaque {
		opaques++
	}
	h := newHeld()
	h.obj, h.base = x, i.data
	h.typ, h.place, h.pool, h.epoch = t, where, p.self, aged
	h.id, h.end = t.identity(i.data)
	h.collect()
	if h.isIdle() || h.protect() { // nobody may have it again
		h.release()
		return
	}
	h.learnAtPut()
	h.claim()
	h.save()
	if race.Enabled {
		if where.poison {
			var pcs [2]uintptr
			runtime.Callers(3, pcs[:])
			h.announce(pcs[1], pcs[0])
		}
		race.Enable()
		race.ReleaseMerge(edge)
		race.Disable()
	}
	if where.poison {
		h.overwrite()
	}
	h.link(p)
	for bytes > maxBytes || waiting > maxEntries {
		pushed++
		drop(queue.next)
	}
}

// isIdle reports whether an object that is put is idle already.
func (h *held) isIdle() bool { return h.is(byID.get(h.id)) || h.is(byEnd.get(h.end)) }

// is reports whether an object that is put is that of an entry, or shares its array.
func (h *held) is(first *entry) bool {
	if first == nil {
		return false
	}
	o := first.object()
	switch {
	case o == nil:
		first.unlink()
		return false
	case h.id != 0 && h.id == first.id || overlap(o, h):
		first.again = true
		if p := first.place; p.again() {
			report("double", append([]string{p.name}, calls()...)...)
		}
		return true
	}
	return false
}

// object returns the object of an entry, nil if that died with its pool.
func (e *entry) object() *held {
	if p := e.pool.Value(); p != nil {
		return &p.idle[e.nth-p.gone]
	}
	return nil
}

// overlap reports whether two slices that end at the same place share bytes that either
// may use. Two parts of one array that were cut without their capacity do not.
func overlap(a, b *held) bool {
	x, y := a.slice(), b.slice()
	if x.data == y.data || x.len == 0 || y.len == 0 {
		return true
	}
	size := a.typ.elem
	return uintptr(x.data) < uintptr(y.data)+uintptr(y.len)*size && uintptr(y.data) < uintptr(x.data)+uintptr(x.len)*size
}

// Get takes an object from a pool, or returns nil.
func Get(p **Pool) any {
	lock()
	defer unlock()
	if *p == nil || len((*p).idle) == 0 {
		return nil
	}
	i := len((*p).idle) - 1
	if !records && guarded == "" { // that is about what was taken before
		if i < lateAfter {
			return nil
		}
		i = 0
	}
	h := (*p).take(i)
	h.check()
	h.restore()
	h.learnAtGet(false)
	x := h.obj
	h.release()
	return relocate(x)
}

// take removes the first or the last object of a pool.
func (p *Pool) take(i int) held {
	h := p.idle[i]
	p.idle[i] = held{}
	if i == len(p.idle)-1 {
		p.idle = p.idle[:i]
	} else {
		p.idle = p.idle[1:]
		p.gone++
	}
	h.unlink()
	return h
}

// Made is called with what a pool's New has made.
func Made(x any) any {
	lock()
	defer unlock()
	learnAtMade(x)
	return relocate(x)
}

// age drops what a collection would have taken from a sync.Pool, if the heap is large.
func age() {
	if heapMarked() < smallHeap {
		return
	}
	for queue.next != &queue && aged != queue.next.epoch {
		drop(queue.next)
	}
}

// drop takes the oldest entry from the queue and leaves its object to the collector. A
// poisoned object stays so, for those who still read it, unless a finalizer may look at it.
func drop(oldest *entry) {
	p := oldest.pool.Value()
	if p == nil {
		oldest.unlink()
		return
	}
	h := p.take(0)
	h.check()
	if _, _, special := heapObject(uintptr(h.base)); special {
		h.restore()
	}
	h.release()
}

func newHeld() held {
	h := spare
	spare = held{}
	if h.entry == nil {
		h.entry = new(entry)
	}
	return h
}

// release keeps what belongs to an object that is not idle any more for the next one.
func (h *held) release() {
	clear(h.regions)
	*h.entry = entry{heaps: h.heaps[:0], saved: h.saved[:0]}
	spare = held{entry: h.entry, regions: h.regions[:0]}
}

// size is what an entry keeps: its object, with all of its slices, and what is saved.
func (e *entry) size() int { return e.kept + len(e.saved) + 256 }

func (h *held) link(p *Pool) {
	e := h.entry
	e.nth = p.gone + len(p.idle)
	p.idle = append(p.idle, *h)
	e.prev, e.next = queue.prev, &queue
	e.prev.next, queue.prev = e, e
	waiting++
	bytes += e.size()
	if e.id != 0 {
		byID.set(e.id, e)
	}
	if e.end != 0 {
		byEnd.set(e.end, e)
	}
}

func (e *entry) unlink() {
	e.prev.next, e.next.prev = e.next, e.prev
	waiting--
	bytes -= e.size()
	for _, heap := range e.heaps {
		byHeap.remove(heap)
	}
	if e.id != 0 && byID.get(e.id) == e {
		byID.remove(e.id)
	}
	if e.end != 0 && byEnd.get(e.end) == e {
		byEnd.remove(e.end)
	}
}

// atExit looks at all idle objects once more and ends the report.
func atExit() {
	lock()
	defer unlock()
	for e := queue.next; e != &queue; e = e.next {
		if h := e.object(); h != nil {
			h.check()
		}
	}
	reportLearnt()
	report("end", strconv.Itoa(puts), strconv.Itoa(opaques), strconv.Itoa(pushed))
}
