// Package poolwatch checks what a program does with the objects of its sync.Pools.
//
// The command poolcheck test adds it to the standard library for one build, by the go
// command's flag -overlay, and makes sync.Pool call it. So it can import only what
// package sync can, and it uses neither sync.Pool nor, because their accesses would be
// shown to the race detector, maps. The command also puts //go:norace in front of each
// of its functions. All of its state is under one lock.
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
	*state
	objects []held
	empty   []int // slots in objects
}

// A state is the rest of a Pool.
type state struct {
	pool weak.Pointer[Pool]
	idle list
}

// A list is of entries, the oldest first. Each is in two: all, and its pool's.
type list struct {
	first, last *entry
	n           int
	which       int
}

func (l *list) add(e *entry) {
	e.prev[l.which] = l.last
	if l.last != nil {
		l.last.next[l.which] = e
	} else {
		l.first = e
	}
	l.last = e
	l.n++
}

func (l *list) remove(e *entry) {
	prev, next := e.prev[l.which], e.next[l.which]
	if prev != nil {
		prev.next[l.which] = next
	} else {
		l.first = next
	}
	if next != nil {
		next.prev[l.which] = prev
	} else {
		l.last = prev
	}
	e.prev[l.which], e.next[l.which] = nil, nil
	l.n--
}

// A held is an object that is idle.
type held struct {
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
	owner      *state
	slot       int       // in the Pool's objects
	heaps      []uintptr // where it stands in bases
	prev, next [2]*entry // in lists
	saved      []byte
	kept       int // size of the object and of its slices
	epoch      uint32
	poisoned   bool
	again      bool // it was put a second time, so that any change is the second owner's
}

// An idleObject is an entry with its object.
type idleObject struct {
	*entry
	*held
}

// object returns an entry with its object; false if that died with its pool.
func (e *entry) object() (idleObject, bool) {
	p := e.owner.pool.Value()
	if p == nil {
		return idleObject{}, false
	}
	return idleObject{e, &p.objects[e.slot]}, true
}

var (
	mu    sync.Mutex
	idle  table[entry] // by id
	ends  table[entry] // by end
	bases table[entry] // by the heap object that a region begins with
	queue list         // of all
	free  list         // entries to use again
	bytes int
	epoch atomic.Uint32
	aged  uint32 // the epoch of the last call of age
	puts  int
)

func init() {
	if Active = getenv("POOLCHECK_WATCH") != ""; Active {
		configure()
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
		*p = &Pool{state: &state{idle: list{which: 1}}}
		(*p).pool = weak.Make(*p)
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
	e := p.hold(newEntry())
	e.obj, e.base = x, i.data
	e.typ, e.owner, e.epoch = t, p.state, aged
	e.id, e.end = t.identity(i.data)
	if isIdle(e) {
		p.letGo(e.entry)
		return
	}
	e.place = where
	e.collect()
	if e.protect() {
		p.letGo(e.entry) // nobody may have it again
		return
	}
	learnAtPut(e)
	e.claim()
	e.save()
	if race.Enabled {
		if where.poison {
			var pcs [2]uintptr
			runtime.Callers(3, pcs[:])
			e.announce(pcs[1], pcs[0])
		}
		race.Enable()
		race.ReleaseMerge(edge)
		race.Disable()
	}
	if where.poison {
		e.overwrite()
	}
	e.link()
	for bytes > maxBytes || queue.n > maxEntries {
		drop(queue.first)
	}
}

// isIdle reports whether an object that is put is idle already.
func isIdle(e idleObject) bool {
	for _, first := range []*entry{idle.get(e.id), ends.get(e.end)} {
		if first == nil {
			continue
		}
		o, alive := first.object()
		if !alive {
			first.unlink()
			first.release()
			continue
		}
		if first.id != e.id && !overlap(o, e) {
			continue
		}
		first.again = true
		reportDouble(first.place)
		return true
	}
	return false
}

// hold gives an entry a slot for its object.
func (p *Pool) hold(e *entry) idleObject {
	if n := len(p.empty); n > 0 {
		e.slot = p.empty[n-1]
		p.empty = p.empty[:n-1]
	} else {
		e.slot = len(p.objects)
		p.objects = append(p.objects, held{})
	}
	return idleObject{e, &p.objects[e.slot]}
}

// letGo lets an object go that is not linked.
func (p *Pool) letGo(e *entry) {
	h := &p.objects[e.slot]
	clear(h.regions)
	*h = held{regions: h.regions[:0]}
	p.empty = append(p.empty, e.slot)
	e.release()
}

// overlap reports whether two slices that end at the same place share bytes that either
// may use. Two parts of one array that were cut without their capacity do not.
func overlap(a, b idleObject) bool {
	x, y := (*header)(a.base), (*header)(b.base)
	if x.data == y.data {
		return true
	}
	if x.len == 0 || y.len == 0 {
		return true
	}
	size := a.typ.elem
	return uintptr(x.data) < uintptr(y.data)+uintptr(y.len)*size && uintptr(y.data) < uintptr(x.data)+uintptr(x.len)*size
}

// Get takes an object from a pool, or returns nil.
func Get(p **Pool) any {
	lock()
	defer unlock()
	if *p == nil {
		return nil
	}
	e := (*p).idle.last
	if !records && guarded == "" { // that is about what was taken before
		if e = (*p).idle.first; (*p).idle.n <= lateAfter {
			return nil
		}
	}
	if e == nil {
		return nil
	}
	o := idleObject{e, &(*p).objects[e.slot]}
	e.unlink()
	o.check()
	o.restore()
	learnAtGet(o)
	x := o.obj
	(*p).letGo(e)
	return relocate(x)
}

// Made is called with what a pool's New has made.
func Made(x any) any {
	if x == nil || guarded == "" {
		return x
	}
	lock()
	defer unlock()
	return relocate(x)
}

// age drops what a collection would have taken from a sync.Pool, if the heap is large.
func age() {
	if heapMarked() < smallHeap {
		return
	}
	for queue.first != nil && aged != queue.first.epoch {
		drop(queue.first)
	}
}

// drop takes an entry from the queue and leaves its object to the collector. A poisoned
// object stays so, for those who still read it, unless a finalizer may look at it.
func drop(e *entry) {
	p := e.owner.pool.Value()
	e.unlink()
	if p == nil {
		e.release()
		return
	}
	o := idleObject{e, &p.objects[e.slot]}
	o.check()
	if _, _, special := heapObject(uintptr(o.base)); special {
		o.restore()
	}
	p.letGo(e)
}

func newEntry() *entry {
	e := free.first
	if e == nil {
		return new(entry)
	}
	free.remove(e)
	return e
}

// release keeps an entry that is not linked for use again.
func (e *entry) release() {
	saved := e.saved[:0]
	if cap(saved) > 4<<10 {
		saved = nil
	}
	*e = entry{heaps: e.heaps[:0], saved: saved}
	free.add(e)
}

// size is what an entry keeps: its object, with all of its slices, and what is saved.
func (e *entry) size() int { return e.kept + len(e.saved) + 256 }

func (e *entry) link() {
	e.owner.idle.add(e)
	queue.add(e)
	bytes += e.size()
	if e.id != 0 {
		idle.set(e.id, e)
	}
	if e.end != 0 {
		ends.set(e.end, e)
	}
}

func (e *entry) unlink() {
	e.owner.idle.remove(e)
	queue.remove(e)
	bytes -= e.size()
	for _, h := range e.heaps {
		bases.remove(h)
	}
	if e.id != 0 && idle.get(e.id) == e {
		idle.remove(e.id)
	}
	if e.end != 0 && ends.get(e.end) == e {
		ends.remove(e.end)
	}
}

// atExit looks at all idle objects once more and ends the report.
func atExit() {
	lock()
	defer unlock()
	for e := queue.first; e != nil; e = e.next[0] {
		if o, alive := e.object(); alive {
			o.check()
		}
	}
	reportLearnt()
	report("end", strconv.Itoa(puts))
}
