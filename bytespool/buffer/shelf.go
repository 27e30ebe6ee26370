package buffer

import (
	"sync/atomic"

	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
)

// A shelf is where the Buffers of a pool are while nobody has them: at the seats,
// one a processor, and otherwise with the engine's objects.
type shelf struct {
	objects  engine.Objects[Buffer]
	seats    []seat            // one a processor, or one a stripe in the portable engine
	portable bool              // the pool's engine
	least    atomic.Uintptr    // the pool's smallest capacity
	span     atomic.Uintptr    // its largest less that, plus 1
	dropped  [32]atomic.Uint64 // arrays, by class, with Buffers that were evicted

	picks atomic.Int32 // in mode sample of package check: Buffers that are still to be tracked
}

// shelfOf returns the shelf of a pool.
func shelfOf(p *engine.Pool) *shelf {
	return engine.ObjectsOf(p, newShelf).Companion().(*shelf)
}

// newShelf makes a shelf. Where the pool clears or has a budget, all goes
// through the engine, which sees to both, and there are no seats.
func newShelf(o engine.Objects[Buffer]) engine.Companion {
	n, portable := o.Pool().Records()
	h := &shelf{objects: o, portable: portable}
	if o.Pool().Plain() {
		h.seats = make([]seat, n)
	}
	for i := range h.seats {
		h.seats[i].mark = int64(i+1) * unit
		h.seats[i].own.Store(&nobody)
	}
	h.followSizes()
	return h
}

// followSizes notes what capacities the pool has.
func (h *shelf) followSizes() {
	smallest, largest := h.objects.Pool().Sizes()
	least, most := uintptr(1)<<class(smallest), uintptr(1)<<class(largest)
	h.least.Store(least)
	h.span.Store(most - least + 1)
}

// fits reports whether the pool has arrays of the given capacity.
func (h *shelf) fits(capacity int) bool { return uintptr(capacity)-h.least.Load() < h.span.Load() }

// pinned returns the seats if their numbers are those of processors.
func (h *shelf) pinned() []seat {
	if h.portable {
		return nil
	}
	return h.seats
}

// get returns an empty Buffer with room for at least n bytes, n at least 1.
func (h *shelf) get(n int) *Buffer {
	if h.tracks() {
		return h.newTracked(n)
	}
	b := h.spare(n)
	if b == nil || cap(b.B) < n {
		return h.fresh(b, n)
	}
	b.begin()
	return b
}

// spare returns an idle Buffer, which nobody has then, or nil if there is none.
// Its array has room for n bytes; or it has no array, where one was tried that is
// too small, as may be above the pool's largest size. That one goes to the pool.
func (h *shelf) spare(n int) *Buffer {
	x := h.objects.Take(n)
	if x != nil && cap(x.B) < n {
		if sanitize.Enabled {
			sanitize.Reused(x.B) // the pool releases it
		}
		h.objects.Pool().Release(x.B)
		x.B = nil
	}
	return x
}

// getUsual is get for a caller who does not know how much is needed: the array
// has room for size bytes, and for what is usual if such a one is idle.
func (h *shelf) getUsual(size int) *Buffer {
	n := checkSize(size)
	if h.tracks() {
		return h.newTracked(n)
	}
	s := h.hold()
	if s == nil {
		return h.get(n)
	}
	long := false // somebody else has the Buffer of the seat for long
	s.ask(size, h.objects.Pool().Class(n))
	b := s.claimAny()
	if b != nil {
		s.note(b.used())
		s.busy = 0
	} else if s.busy++; s.busy > maxBusy {
		s.busy, long = 0, true
	}
	usual := s.class
	h.leave(s)
	if long {
		h.evict(s) // not while it is held: it may take a lock
	}
	if b == nil {
		return h.take(h.getFirst(usual, n))
	}
	b.reset()
	if k := floorClass(cap(b.B)); k != usual || cap(b.B) < n {
		if x := h.spare(1 << usual); x != nil || k > usual || cap(b.B) < n {
			h.exchange(b, x, n)
		}
	}
	return b
}

// getFirst is getUsual where the seat cannot help.
func (h *shelf) getFirst(usual uint8, n int) *Buffer {
	if b := h.objects.Take(1 << usual); b != nil && cap(b.B) >= n {
		b.begin()
		return b
	}
	return h.get(n)
}

// fresh returns a Buffer with a slice of the pool: b, which nobody has and which
// has no array, or a new one if b is nil.
func (h *shelf) fresh(b *Buffer, n int) *Buffer {
	if b == nil {
		b = h.bare()
	} else {
		b.begin()
	}
	b.B = h.objects.Pool().NewOwned(n)[:0]
	return b
}

// getBare returns a Buffer without an array, for a user.
func (h *shelf) getBare() *Buffer {
	if h.tracks() {
		return h.newTracked(0)
	}
	return h.bare()
}

// bare returns a Buffer without an array.
func (h *shelf) bare() *Buffer {
	b := h.objects.TakeBare()
	if b == nil {
		return &Buffer{home: h}
	}
	b.begin()
	return b
}

// exchange gives b, whose content is of no interest, the array of x, which
// nobody has, or if that is nil or has too little room one of the pool for n
// bytes.
func (h *shelf) exchange(b, x *Buffer, n int) {
	old := b.B
	if x != nil && cap(x.B) >= n {
		b.B, x.B = x.B[:0], nil
		if sanitize.Enabled {
			sanitize.Reused(b.B)
		}
	} else {
		b.B = h.objects.Pool().NewOwned(n)[:0]
	}
	h.putArray(old, x)
}

// putArray gives an array back: x, which nobody has, keeps it, or if x is nil
// the pool.
func (h *shelf) putArray(array []byte, x *Buffer) {
	if x == nil {
		h.objects.Pool().Release(array)
		return
	}
	x.B = array
	h.put(x)
}

// put keeps b, which nobody has, and reports whether its array went to the pool
// too.
func (h *shelf) put(b *Buffer) (ok bool) {
	if sanitize.Enabled {
		sanitize.Released(b.B)
	}
	o := h.objects.Put(b, cap(b.B))
	return o == engine.Kept || h.turnedDown(b, o)
}

// turnedDown is put where the engine did not keep b as it is.
func (h *shelf) turnedDown(b *Buffer, o engine.Outcome) (ok bool) {
	if o == engine.Foreign {
		if sanitize.Enabled {
			sanitize.Reused(b.B) // the pool releases it
		}
		if h.isUsual(cap(b.B)) && h.objects.PutLarge(b, cap(b.B)) {
			return false
		}
		ok = h.objects.Pool().Release(b.B)
	}
	b.B = nil
	h.objects.PutBare(b)
	return ok
}

// isUsual reports whether a capacity above the pool's largest is usual here.
func (h *shelf) isUsual(capacity int) bool {
	if _, largest := h.objects.Pool().Sizes(); capacity <= largest {
		return false
	}
	s := h.hold()
	if s == nil {
		return false
	}
	usual := s.class
	h.leave(s)
	return floorClass(capacity) == usual
}
