package poolwatch

import (
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

// learnBytes is how much of a slice is looked at until it is known whose it is.
const learnBytes = 512

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

// A region is the memory of one of an object's fields: an array of bytes in the object, or
// the array of a slice.
type region struct {
	ptr     unsafe.Pointer
	n       uintptr // that are saved
	cap     uintptr // of the slice, 0 for an array
	at      uintptr // where its content is in saved
	field   int     // index in the type's fields
	heap    uintptr // the heap object that it is in, 0 if it is in the object itself
	compare bool    // it belongs to the object: it must not change
	poison  bool    // it may be overwritten
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
	byID    table[entry]
	byEnd   table[entry]
	byHeap  table[entry] // by the heap object that a region begins with
	queue   entry        // a ring: the next is the oldest
	waiting int          // entries
	bytes   int
	spare   held // to use again
)

// object returns the object of an entry, nil if that died with its pool.
func (e *entry) object() *held {
	if p := e.pool.Value(); p != nil {
		return &p.idle[e.nth-p.gone]
	}
	return nil
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

// claim leaves those regions alone that another idle object has, too.
func (h *held) claim() {
	for i := range h.regions {
		r := &h.regions[i]
		if r.heap == 0 {
			continue
		}
		if byHeap.get(r.heap) != nil {
			r.poison, r.compare, r.heap = false, false, 0
			continue
		}
		byHeap.set(r.heap, h.entry)
		h.heaps = append(h.heaps, r.heap)
	}
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
