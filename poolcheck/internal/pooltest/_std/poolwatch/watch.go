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
//	config.go   what the command wants of this process
//	table.go    a hash table
package poolwatch

import (
	"internal/abi"
	"internal/race"
	"internal/runtime/exithook"
	"internal/sync"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Bounds on what the queue keeps.
const (
	maxBytes   = 64 << 20 // of memory whose size is known, and of saved contents
	maxEntries = 1 << 15
	lateAfter  = 256 // idle objects that a pool has before one of them is reused late

	// smallHeap is the live heap up to which objects may wait through any number of
	// collections. In a larger heap they wait through two, as in sync.Pool, since what
	// hangs on an object may be much larger than the object.
	smallHeap = 48 << 20
)

// A Pool is the idle objects of one sync.Pool, which has the only pointer to it but for
// those of its entries. A sync.Pool is never reachable from here, so that it is
// collected as without this package.
type Pool struct {
	first, last *entry
	count       int
}

// An entry is an idle object.
type entry struct {
	obj          any
	id           uintptr // what tells it from others: its address, or its array's
	end          uintptr // the end of its array, 0 if it is no slice
	base         unsafe.Pointer
	typ          *typeInfo
	place        *place
	owner        *Pool
	prev, next   *entry // in owner's list
	older, newer *entry // in the queue
	regions      []region
	saved        []byte
	epoch        uint32
	poisoned     bool
	again        bool // it was put a second time, so that any change is the second owner's
}

var (
	mu             sync.Mutex
	idle           table[entry] // by id
	ends           table[entry] // by end
	bases          table[entry] // by the heap object that a region begins with
	oldest, newest *entry
	bytes          int
	free           *entry // entries to use again, linked by next
	epoch          atomic.Uint32
	aged           uint32 // the epoch of the last call of age

	puts, drops, unknown uint64
)

func init() {
	if configure(getenv("POOLCHECK_WATCH")) {
		Active = true
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
	var pcs [keyFrames + 1]uintptr // the first is in sync.Pool.Put
	n := runtime.Callers(2, pcs[:])
	lock()
	if *p == nil {
		*p = new(Pool)
	}
	if e := epoch.Load(); e != aged {
		aged = e
		age()
	}
	put(*p, x, edge, pcs[0], pcs[1:n])
	unlock()
}

func put(p *Pool, x any, edge unsafe.Pointer, pc uintptr, pcs []uintptr) {
	puts++
	i := (*eface)(unsafe.Pointer(&x))
	t := typeOf(i.typ)
	if t.opaque {
		unknown++
	}
	e := newEntry()
	e.obj, e.typ, e.owner, e.epoch, e.base = x, t, p, aged, i.data
	e.id, e.end = t.identity(i.data)
	where := placeOf(pcs, t)
	if first := idle.get(e.id); first != nil && e.id != 0 {
		first.again = true
		reportDouble(first, where, p)
		release(e)
		return
	}
	if first := ends.get(e.end); first != nil && e.end != 0 && overlap(first, e) {
		first.again = true
		reportDouble(first, where, p)
		release(e)
		return
	}
	e.place = where
	e.collect()
	if e.protect() {
		release(e) // nobody may have it again
		return
	}
	learnAtPut(e)
	e.claim()
	e.save()
	if race.Enabled {
		if where.poison {
			e.announce(pcs[0], pc)
		}
		race.Enable()
		race.ReleaseMerge(edge)
		race.Disable()
	}
	if where.poison {
		e.overwrite()
	}
	e.link()
	for bytes > maxBytes || idle.n > maxEntries {
		drop(oldest)
	}
}

// overlap reports whether two slices that end at the same place share bytes that either
// may use. Two parts of one array that were cut without their capacity do not.
func overlap(a, b *entry) bool {
	x, y := (*header)(a.base), (*header)(b.base)
	if x.data == y.data {
		return true
	}
	if x.len == 0 || y.len == 0 {
		return a.typ.head == b.typ.head
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
	e := (*p).last
	if config.late {
		if e = (*p).first; (*p).count <= lateAfter {
			return nil
		}
	}
	if e == nil {
		return nil
	}
	e.unlink()
	e.check()
	e.restore()
	x := e.obj
	if !learnAtGet(e) {
		release(e)
	}
	return relocate(x)
}

// Made is called with what a pool's New has made.
func Made(x any) any {
	if x == nil || config.guard == "" {
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
	for oldest != nil && aged-oldest.epoch > 2 {
		drop(oldest)
	}
}

// drop takes an entry from the queue and leaves its object to the collector. A poisoned
// object stays so, for those who still read it, unless a finalizer may look at it.
func drop(e *entry) {
	drops++
	e.unlink()
	e.check()
	if _, _, special := heapObject(uintptr(e.base)); special {
		e.restore()
	}
	release(e)
}

func newEntry() *entry {
	e := free
	if e == nil {
		return new(entry)
	}
	free = e.next
	e.next = nil
	return e
}

// release keeps an entry that is not linked for use again.
func release(e *entry) {
	regions, saved := e.regions[:0], e.saved[:0]
	clear(e.regions)
	if cap(saved) > 4<<10 {
		saved = nil
	}
	*e = entry{regions: regions, saved: saved, next: free}
	free = e
}

func (e *entry) size() int { return len(e.saved)*2 + 256 }

func (e *entry) link() {
	p := e.owner
	e.prev = p.last
	if p.last != nil {
		p.last.next = e
	} else {
		p.first = e
	}
	p.last = e
	p.count++
	e.older = newest
	if newest != nil {
		newest.newer = e
	} else {
		oldest = e
	}
	newest = e
	bytes += e.size()
	if e.id != 0 {
		idle.set(e.id, e)
	}
	if e.end != 0 {
		ends.set(e.end, e)
	}
}

func (e *entry) unlink() {
	p := e.owner
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		p.first = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		p.last = e.prev
	}
	p.count--
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		newest = e.older
	}
	e.prev, e.next, e.older, e.newer = nil, nil, nil, nil
	for i := range e.regions {
		if r := &e.regions[i]; r.heap != 0 && bases.get(r.heap) == e {
			bases.remove(r.heap)
		}
	}
	bytes -= e.size()
	if e.id != 0 {
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
	for e := oldest; e != nil; e = e.newer {
		e.check()
	}
	reportLearnt()
	reportEnd()
}
