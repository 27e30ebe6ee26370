package poolwatch

import (
	"internal/abi"
	"sync/atomic"
	"unsafe"
)

// Bounds on what the queue keeps in a test binary; those of a program of poolcheck build are smaller.
var (
	maxBytes   = 64 << 20 // of objects, as far as their size is known, and of saved contents
	maxEntries = 1 << 15
)

const (
	maxClosed = 1024 // objects in the queue, where they have slots
	lateAfter = 64   // idle objects that a pool has before one of them is reused late

	// smallHeap is the live heap up to which objects may wait through any number of
	// collections. In a larger heap they wait for as long as in a sync.Pool, since what
	// hangs on an object may be much larger than the object.
	smallHeap = 48 << 20
)

// learnBytes is how much of a slice is looked at until it is known whose it is.
const learnBytes = 512

// A Pool is what a sync.Pool has for this package.
type Pool struct {
	objects *objects
	plain   atomic.Pointer[abi.Type] // the first type of its objects that is a pointer, and not to a slice
}

// objects are those that a sync.Pool may hand out again, which are in the queue, too.
type objects struct {
	idle []*held // the oldest first
}

// isPlain reports whether x is of the pool's plain type.
func (p *Pool) isPlain(x any) bool { return p.plain.Load() == (*eface)(unsafe.Pointer(&x)).typ }

// A held is an object that is idle.
type held struct {
	obj        any
	base       unsafe.Pointer // the memory at its address
	id         uintptr        // what tells it from others: its address, or its array's
	end        uintptr        // the end of its array, 0 if it is no slice
	typ        *typeInfo
	place      *place
	pool       *objects // nil if nobody may have it again
	prev, next *held    // in the queue
	regions    []region
	saved      []byte
	slots      []*slot // that are closed: then its memory is not saved and compared
	kept       int     // size of the object with what hangs on it
	epoch      uint32
	poisoned   bool
	again      bool // it was put a second time, so that any change is the second owner's
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

var (
	byID    table[held]
	byEnd   table[held]
	byHeap  table[held] // by the heap object that a region begins with
	queue   held        // a ring: the next is the oldest
	waiting int         // objects in it
	bytes   int
	pushed  int // objects that had to leave because too much waited
	spare   = new(held)
)

// identity returns what tells an object from others, and where its array ends.
func (t *typeInfo) identity(data unsafe.Pointer) (id, end uintptr) {
	if t.opaque {
		return 0, 0
	}
	id = uintptr(data)
	if t.head {
		h := (*header)(data)
		if h.cap > 0 && t.elem > 0 && ours(h.data) {
			end = uintptr(h.data) + uintptr(h.cap)*t.elem
		}
		if t.value {
			id = 0
		}
	}
	return id, end
}

// newHeld returns a held for an object.
func newHeld(x any, t *typeInfo) *held {
	h := spare
	if spare = nil; h == nil {
		h = new(held)
	}
	h.obj, h.base, h.typ = x, (*eface)(unsafe.Pointer(&x)).data, t
	h.id, h.end = t.identity(h.base)
	return h
}

// release keeps what belongs to an object that is not idle any more for the next one.
func (h *held) release() {
	for _, s := range h.slots {
		s.release()
	}
	clear(h.slots)
	clear(h.regions)
	*h = held{regions: h.regions[:0], saved: h.saved[:0], slots: h.slots[:0]}
	spare = h
}

// claim leaves those regions alone that another idle object has, too.
func (h *held) claim() {
	for i := range h.regions {
		r := &h.regions[i]
		switch {
		case r.heap == 0:
		case byHeap.get(r.heap) != nil:
			r.poison, r.compare, r.heap = false, false, 0
		default:
			byHeap.set(r.heap, h)
		}
	}
}

// size is what an entry of the queue keeps: the object, with all of its slices, and what is saved.
func (h *held) size() int { return h.kept + len(h.saved) + 256 }

// link adds an object to the queue, and to the pool that may hand it out again, if that is not nil.
func (h *held) link(p *objects) {
	if h.pool = p; p != nil {
		p.idle = append(p.idle, h)
	}
	h.prev, h.next = queue.prev, &queue
	h.prev.next, queue.prev = h, h
	waiting++
	watchedPuts++
	bytes += h.size()
	if h.id != 0 {
		byID.set(h.id, h)
	}
	if h.end != 0 {
		byEnd.set(h.end, h)
	}
}

// unlink removes an object from the queue and from its pool, where it is the oldest or the newest.
func (h *held) unlink() {
	h.prev.next, h.next.prev = h.next, h.prev
	waiting--
	bytes -= h.size()
	for _, r := range h.regions {
		byHeap.remove(r.heap)
	}
	byID.remove(h.id)
	if h.end != 0 && byEnd.get(h.end) == h {
		byEnd.remove(h.end)
	}
	if p := h.pool; p != nil {
		if last := len(p.idle) - 1; p.idle[last] == h {
			p.idle[last] = nil
			p.idle = p.idle[:last]
		} else {
			p.idle[0] = nil
			p.idle = p.idle[1:]
		}
	}
}
