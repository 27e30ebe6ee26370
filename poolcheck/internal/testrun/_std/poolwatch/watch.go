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
//	report.go   the lock, and how a report is written
//	types.go    where the parts of a type are
//	place.go    the places of Put, and what their poison looks like
//	finding.go  what happened at a place, and what a program of poolcheck build says of it
//	slots.go    memory that Put makes inaccessible
//	queue.go    the idle objects
//	memory.go   what belongs to an object: saved, overwritten, compared, restored
//	guard.go    the memory of an object in slots
//	learn.go    which slices in structs belong to the struct
//	carry.go    pointers that carry a slice from one pool to another
//	sample.go   which objects are watched in a program of poolcheck build
//	watch.go    Put and Get
//
// In this order, each file uses those before it alone.
package poolwatch

import (
	"internal/poolwatch/protocol"
	"internal/race"
	"internal/runtime/exithook"
	"internal/strconv"
	"sync/atomic"
	"unsafe"
)

func init() {
	if wanted := getenv(protocol.SetupVariable); wanted != "" {
		start(protocol.ParseSetup(wanted, '\n'))
		if setup.Mode == protocol.Guard {
			maxEntries = maxClosed
		}
	}
}

func start(s *protocol.Setup) {
	setup = s
	queue.prev, queue.next = &queue, &queue
	exithook.Add(exithook.Hook{F: atExit, RunOnFailure: true})
	Active = true
}

// StartSampling has a program of poolcheck build watch a few of its objects, unless its user does not want that.
func StartSampling() {
	settings := getenv(protocol.SettingsVariable)
	if Active || settings == "off" {
		return
	}
	Sampling = true
	start(protocol.ParseSetup(settings, ','))
	if n, err := strconv.Atoi(setup.Every); err == nil && n > 0 {
		every = uint32(n)
	}
	maxBytes, maxEntries = 24<<20, maxClosed
}

var (
	epoch atomic.Uint32
	aged  uint32 // the epoch in which old objects were dropped last
)

// Collected is called at the start of each collection, while the world is stopped.
func Collected() { epoch.Add(1) }

// Put puts x, which is not nil, into a pool, for sync.Pool.Put, and reports whether it is not to be in the sync.Pool.
// At edge the race detector is to see what happens before the Get that returns x.
func Put(p *Pool, x any, edge unsafe.Pointer) bool {
	key := uintptr((*eface)(unsafe.Pointer(&x)).data)
	if !p.isPlain(x) {
		if p.carries(x) {
			return false
		}
		key = keyOf(x)
	}
	if !Sampling {
		return p.put(x, edge)
	}
	r, marked := cheaprand(), markOf(key).Load() == key
	return (looks(r) || marked) && samplePut(x, key, r, marked)
}

// put does so in a test binary.
func (p *Pool) put(x any, edge unsafe.Pointer) bool {
	var pcs [keyFrames + 3]uintptr // with the calls of this package and of sync.Pool
	n := callers(pcs[:])
	lock()
	defer unlock()
	drainFaults()
	allPuts.Add(1)
	if p.objects == nil {
		p.objects = new(objects)
	}
	if e := epoch.Load(); e != aged {
		aged = e
		for heapMarked() >= smallHeap && queue.next != &queue && aged != queue.next.epoch {
			queue.next.drop() // as a collection would have taken it from a sync.Pool
		}
	}
	return put(p.objects, x, edge, pcs[:n])
}

// samplePut watches what is put if it is marked or chosen, or if few calls of its place were watched, and reports
// whether it is kept from the pool.
func samplePut(x any, key uintptr, r uint32, marked bool) bool {
	var pcs [keyFrames + 3]uintptr // with the calls of this package and of sync.Pool
	var count *atomic.Uint32
	if looks(r) {
		allPuts.Add(int64(seldom.Load()) + 1)
		count = earlyAt(pcs[:])
	}
	if key == 0 || count == nil && !marked && !chosen(r) {
		return false
	}
	depth := callers(pcs[:])
	lock()
	defer unlock()
	drainFaults()
	kept := put(nil, x, nil, pcs[:depth])
	if kept {
		mark(x)
	}
	watchedAt(count, kept)
	return kept
}

// put reports whether it keeps what is put into a pool.
func put(p *objects, x any, edge unsafe.Pointer, pcs []uintptr) bool {
	i := (*eface)(unsafe.Pointer(&x))
	t := typeOf(i.typ)
	where := placeOf(pcs, t)
	if !ours(i.data) {
		t = &opaque
	}
	h := newHeld(x, t)
	h.place, h.epoch, h.kept = where, aged, int(measure(x))
	if h.is(byID.get(h.id)) || h.is(byEnd.get(h.end)) {
		h.release() // nobody may have it again
		return true
	}
	h.closeSlots()
	if len(h.slots) > 0 {
		p = nil
	} else {
		h.collect()
		if _, _, special := heapObject(uintptr(h.base)); Sampling && (special || t.opaque || h.kept > maxObject) {
			h.release()
			return false
		}
		h.learnAtPut()
		h.claim()
		h.save()
	}
	if race.Enabled && !Sampling {
		race.Enable()
		if setup.Mode == protocol.Races {
			h.announce()
		}
		race.ReleaseMerge(edge)
		race.Disable()
	}
	if where.poison {
		h.overwrite()
	}
	h.link(p)
	for bytes > maxBytes || waiting > maxEntries {
		pushed++
		queue.next.drop()
	}
	return true
}

// is reports whether an object that is put is that of an entry of the queue, or shares its array.
func (h *held) is(other *held) bool {
	if other == nil || (h.id == 0 || h.id != other.id) && !overlap(other, h) {
		return false
	}
	other.again = true
	other.place.happened(protocol.Double, calls()...)
	return true
}

// overlap reports whether two slices that end at the same place share bytes that either
// may use. Two parts of one array that were cut without their capacity do not.
func overlap(a, b *held) bool {
	x, y := (*header)(a.base), (*header)(b.base)
	if x.data == y.data || x.len == 0 || y.len == 0 {
		return true
	}
	size := a.typ.elem
	return uintptr(x.data) < uintptr(y.data)+uintptr(y.len)*size && uintptr(y.data) < uintptr(x.data)+uintptr(x.len)*size
}

// Get takes an object from a pool, or returns nil.
func Get(p *Pool) any {
	if Sampling {
		return nil
	}
	return p.get()
}

func (p *Pool) get() any {
	lock()
	defer unlock()
	if p.objects == nil || len(p.objects.idle) == 0 {
		return nil
	}
	i := len(p.objects.idle) - 1
	switch {
	case setup.Mode == protocol.Races: // what its old owner does must meet no new one
		return nil
	case setup.Mode != protocol.Poison: // it is about what was taken before
	case i < lateAfter:
		return nil
	default:
		i = 0
	}
	h := p.objects.idle[i]
	h.unlink()
	h.check()
	h.restore()
	h.learnAtGet(false)
	x, _ := toSlots(h.obj)
	p.cameFrom(x)
	h.release()
	return x
}

// Taken is called with what a sync.Pool hands out, which a test binary has from its New, and returns it.
func Taken(p *Pool, x any) any {
	switch {
	case x == nil:
		return nil
	case p.isPlain(x):
		return handOut(x)
	}
	where, what := p.cargo(x)
	if where != nil && where.CompareAndSwap(what|carrying, 0) {
		return x // somebody else has what it has carried
	}
	x = handOut(x)
	if where != nil {
		p.cameFrom(x)
	}
	return x
}

// handOut moves what a pool hands out to slots, if it is to be watched.
func handOut(x any) any {
	if Sampling {
		if r := cheaprand(); looks(r) {
			return sampleGet(x, r)
		}
		return x
	}
	lock()
	defer unlock()
	learnAtMade(x)
	x, _ = toSlots(x)
	return x
}

// sampleGet does so if a call that looks at the stack is to be watched.
func sampleGet(x any, r uint32) any {
	var pcs [keyFrames + 3]uintptr
	count := earlyAt(pcs[:])
	if count == nil && !chosen(r) {
		return x
	}
	lock()
	defer unlock()
	drainFaults()
	if measure(x) > maxObject {
		return x
	}
	x, moved := toSlots(x)
	if moved {
		mark(x)
	}
	watchedAt(count, moved)
	return x
}

// drop takes an object from the queue and leaves it to the collector. If it is poisoned it
// stays so, for those who still read it, unless a finalizer may look at it.
func (h *held) drop() {
	if looked == h {
		looked = h.prev
	}
	h.unlink()
	h.check()
	if _, _, special := heapObject(uintptr(h.base)); special {
		h.restore()
	}
	if Sampling {
		markOf(keyOf(h.obj)).CompareAndSwap(keyOf(h.obj), 0)
	}
	h.release()
}

// looked is the object that Tick looked at last.
var looked = &queue

// Tick looks at some of the objects that wait, and at what was read. Package os calls it each second.
func Tick() {
	lock()
	defer unlock()
	if ticks++; ticks == settlesAfter && every > looksLater {
		seldom.Store(looksLater)
		about = "about "
	}
	drainFaults()
	for range 256 {
		if looked = looked.next; looked == &queue {
			break
		}
		looked.check()
	}
}

// atExit looks at all idle objects once more and ends the report.
func atExit() {
	lock()
	defer unlock()
	drainFaults()
	for h := queue.next; h != &queue; h = h.next {
		h.check()
	}
	if Sampling {
		summary()
		return
	}
	reportLearnt()
	report(protocol.End, strconv.Itoa(int(allPuts.Load())), strconv.Itoa(pushed))
}
