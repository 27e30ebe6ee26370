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
//	runtime.go  what package runtime does for this one, and bytes that the race detector does not see
//	table.go    a hash table
//	built.go    whether this is a program of poolcheck build
//	report.go   the lock, and the lines of the report file
//	types.go    where the parts of a type are
//	place.go    the places of Put, and what their poison looks like
//	finding.go  what a program of poolcheck build found, and where that is written
//	slots.go    memory that Put makes inaccessible
//	queue.go    the idle objects
//	memory.go   what belongs to an object: saved, overwritten, compared, restored
//	guard.go    the memory of an object in slots
//	learn.go    which slices in structs belong to the struct
//	watch.go    Put and Get in a test binary
//	sample.go   Put and Get in a program of poolcheck build: the few objects that are watched
//
// In this order, each file uses those before it alone.
package poolwatch

import (
	"internal/poolwatch/protocol"
	"internal/race"
	"internal/runtime/exithook"
	"internal/strconv"
	"runtime"
	"sync/atomic"
	"unsafe"
	"weak"
)

func init() {
	wanted := getenv(protocol.SetupVariable)
	if Active = !built && wanted != ""; Active {
		setup = protocol.ParseSetup(wanted)
		queue.prev, queue.next = &queue, &queue
		exithook.Add(exithook.Hook{F: atExit, RunOnFailure: true})
	}
}

// Active says whether this process is watched. If not, sync.Pool is as always.
var Active bool

var (
	epoch   atomic.Uint32
	aged    uint32 // the epoch of the last call of age
	puts    int
	opaques int // puts of what has no memory in the heap
	pushed  int // objects that had to leave because too much waited
)

// Collected is called at the start of each collection, while the world is stopped.
func Collected() { epoch.Add(1) }

// Put puts x, which is not nil, into a pool, for sync.Pool.Put. At edge the race detector
// is to see what happens before the Get that returns x.
func Put(p **Pool, x any, edge unsafe.Pointer) {
	var pcs [keyFrames + 2]uintptr
	n := callers(pcs[:])
	lock()
	drainFaults()
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
	if h.isIdle() || h.closeSlots() { // nobody may have it again
		h.release()
		return
	}
	h.learnAtPut()
	h.claim()
	h.save()
	if race.Enabled {
		if setup.Mode == protocol.Races {
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
			report(protocol.Double, append([]string{p.name}, calls()...)...)
		}
		return true
	}
	return false
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
	switch {
	case setup.Mode == protocol.Races: // what its old owner does must meet no new one
		return nil
	case setup.Mode != protocol.Poison: // it is about what was taken before
	case i < lateAfter:
		return nil
	default:
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

// atExit looks at all idle objects once more and ends the report.
func atExit() {
	lock()
	defer unlock()
	drainFaults()
	for e := queue.next; e != &queue; e = e.next {
		if h := e.object(); h != nil {
			h.check()
		}
	}
	reportLearnt()
	report(protocol.End, strconv.Itoa(puts), strconv.Itoa(opaques), strconv.Itoa(pushed))
}
