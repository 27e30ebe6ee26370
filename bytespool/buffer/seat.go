package buffer

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/percpu"
)

// # Seats
//
// Every processor has a Buffer of its own, which it lends to one user after the
// other. Where a stack of idle Buffers costs a pinned section to take one and
// another to put it back, the Buffer of a seat is given back by a single
// compare-and-swap of its count, from anywhere: it is at its seat all the time,
// and its count says whether it is free.
//
// # Who owns what
//
// The count (Buffer.refs) of a Buffer says all. With s.mark of its seat, a
// multiple of unit, it is
//
//	s.mark + n   in use, and n references beside the first
//	-s.mark      idle at its seat
//	s.mark - ⅟₄  about to become that, in units
//	n            in use, and of no seat
//	pooled       idle elsewhere, or about to be
//
// Only the holder of a seat, the goroutine pinned to its processor or with its
// lock, turns -s.mark to s.mark; whoever releases the last reference turns s.mark
// to -s.mark, and does not touch the Buffer after that. So what own and old point
// at matters only for finding a Buffer, not for owning it. A count of -s.mark
// comes from a release, and that from s.mark, which only seat gives, to a Buffer
// that its caller alone has: no Buffer is idle at two seats, or at one and in the
// engine.
//
// After a collection, Age moves what own points at to old, where the holder finds
// it when it next misses it. What is still there after the next collection is
// dropped if it is idle, and if it is in use it loses its seat. A goroutine that
// found it by own and has not claimed it yet was pinned all the time, and the
// collection between ended that. Trim cannot wait: a Buffer that is claimed in
// the same moment counts as dropped, and goes to the collector after its use.

// maxBusy is how often the Buffer of a seat may be in use when somebody looks for
// it before another one takes the seat: who keeps it for long has no use for the
// seat, and looking at its count slows down writes to it on another processor.
const maxBusy = 16

// unit is the distance of marks. Counts are smaller by far.
const unit = 1 << 40

// pooled is far from all counts and marks: calls through stale pointers may
// change it by a little.
const pooled = math.MinInt64 / 2

// mark returns the multiple of unit that belongs to a count: for one that is in
// use the mark of its seat or 0, and otherwise something negative.
func mark(refs int64) int64 { return (refs + unit/2) &^ (unit - 1) }

// ending returns the count of a Buffer that ends, whose mark is m: nobody else
// ends it then, and it can still lose its seat.
func ending(m int64) int64 {
	if m == 0 {
		return pooled
	}
	return m - unit/4
}

// A seat is the place of one Buffer. Its holder owns it, but for own and old.
type seat struct {
	mu   sync.Mutex             // in the portable engine: held by the holder
	own  atomic.Pointer[Buffer] // the Buffer, unless it is old
	old  atomic.Pointer[Buffer] // what own was before the last collection
	mark int64
	use
	busy uint8   // times in a row that the Buffer was in use when it was looked for
	_    [7]byte // what is above has a cache line of its own

	rounds [32]uint64 // by class of the array: times that it was put and taken again
}

// counts are numbers of arrays by class.
type counts [32]atomic.Uint64

// hold returns the seat of the caller's processor or stripe, which the caller
// holds until leave; nil if there is none, or somebody has the stripe. The caller
// must not do meanwhile what percpu.Pin forbids.
func (h *shelf) hold() *seat {
	if n := uint64(len(h.stripes)); n > 0 {
		s := &h.stripes[uint64(percpu.Stripe())*n>>32]
		if !s.mu.TryLock() {
			return nil
		}
		return s
	}
	if len(h.seats) == 0 {
		return nil
	}
	pid := percpu.Pin()
	if pid < len(h.seats) {
		return &h.seats[pid]
	}
	percpu.Unpin() // GOMAXPROCS has grown since
	return nil
}

// leave ends what hold began.
func (h *shelf) leave(s *seat) {
	if len(h.stripes) > 0 {
		s.mu.Unlock()
	} else {
		percpu.Unpin()
	}
}

// free returns the Buffer if it is idle and its array is one of class k, and
// otherwise nil. The caller holds s, and may claim it then.
func (s *seat) free(k uint8) *Buffer {
	b := s.own.Load()
	if b == nil || b.refs.Load() != -s.mark || cap(b.B) != 1<<(k%64) {
		return nil
	}
	return b
}

// claim takes b, which free has returned.
func (s *seat) claim(b *Buffer, k uint8) {
	setRefs(&b.refs, s.mark)
	s.rounds[k%32]++
}

// lent reports whether the Buffer is in use. The caller holds s.
func (s *seat) lent() bool {
	b := s.own.Load()
	return b != nil && b.refs.Load() >= 0
}

// claimAny takes the Buffer if it is idle, whatever its array. The caller holds s.
func (s *seat) claimAny() *Buffer {
	b := s.own.Load()
	if b == nil {
		if b = s.old.Load(); b == nil || !s.old.CompareAndSwap(b, nil) {
			return nil
		}
		s.own.Store(b)
	}
	n := b.refs.Load()
	if mark(n) != -s.mark || !b.refs.CompareAndSwap(n, s.mark) {
		return nil
	}
	s.rounds[class(cap(b.B))%32]++
	return b
}

// lost notes that claimAny returned nil, and after that was so often enough takes
// the seat from the Buffer that is in use. The caller holds s.
func (h *shelf) lost(s *seat) {
	if s.busy < maxBusy {
		s.busy++
		return
	}
	s.busy = 0
	b := s.own.Load()
	s.own.CompareAndSwap(b, nil)
	h.evict(s, b)
}

// seat gives b, which only the caller has, the seat here if it is free.
func (h *shelf) seat(b *Buffer) *Buffer {
	s := h.hold()
	if s == nil {
		return b
	}
	free := s.own.Load() == nil && s.old.Load() == nil
	if free {
		setRefs(&b.refs, s.mark)
		s.own.Store(b)
	}
	h.leave(s)
	if free {
		h.objects.Pool().Arm()
	}
	return b
}

// evict drops b, which own and old do not point at any more, if it is idle, and
// takes its seat if it is in use. It returns the bytes that were dropped.
func (h *shelf) evict(s *seat, b *Buffer) (freed int64) {
	for b != nil {
		n := b.refs.Load()
		switch mark(n) {
		case s.mark:
			if b.refs.CompareAndSwap(n, n-s.mark) {
				return 0
			}
		case -s.mark:
			if b.refs.CompareAndSwap(n, pooled) {
				k := class(cap(b.B)) % 32
				h.dropped[k].Add(1)
				return int64(1) << k &^ 1
			}
		default:
			return 0
		}
	}
	return 0
}

// all calls f for every seat.
func (h *shelf) all(f func(*seat)) {
	for i := range h.seats {
		f(&h.seats[i])
	}
	for i := range h.stripes {
		s := &h.stripes[i]
		s.mu.Lock()
		f(s)
		s.mu.Unlock()
	}
}

// Age implements [engine.Companion].
func (h *shelf) Age() (left bool) {
	h.all(func(s *seat) {
		b := s.own.Load()
		before := s.old.Swap(b) // first: who misses it in own must find it here
		if b != nil {
			s.own.CompareAndSwap(b, nil)
			left = true
		}
		if before != b {
			h.evict(s, before)
		}
	})
	return left
}

// Trim implements [engine.Companion].
func (h *shelf) Trim() (freed int64) {
	h.all(func(s *seat) {
		b := s.own.Swap(nil)
		before := s.old.Swap(nil)
		freed += h.evict(s, b)
		if before != b {
			freed += h.evict(s, before)
		}
	})
	return freed
}

// Traffic implements [engine.Companion]. Class 0 is no array.
func (h *shelf) Traffic(k int) (gets, puts, idle uint64) {
	h.all(func(s *seat) {
		gets += s.rounds[k]
		b, before := s.own.Load(), s.old.Load()
		idle += s.idle(b, k)
		if before != b {
			idle += s.idle(before, k)
		}
	})
	return gets, gets + idle + h.dropped[k].Load(), idle
}

// idle returns 1 if b is idle at s with an array of class k, and otherwise 0.
func (s *seat) idle(b *Buffer, k int) uint64 {
	if b != nil && mark(b.refs.Load()) == -s.mark && int(class(cap(b.B))) == k {
		return 1
	}
	return 0
}
