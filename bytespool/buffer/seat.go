package buffer

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

// # Seats
//
// Every processor has a seat, and at it a Buffer that it lends to one user after
// the other. To take an idle Buffer from a stack costs a pinned section, and to
// put it back another one. The Buffer of a seat is given back by a
// compare-and-swap of its count, from anywhere: it never leaves its seat, and
// its count says whether somebody has it. That halves the cost of Get and
// Release.
//
// # Who owns what
//
// The count of a Buffer (refs) says who owns it. Each seat has a mark, a multiple
// of unit, and a Buffer's count is
//
//	mark + n        in use, with n references beside the first, and at this seat
//	mark + 2*gone   ending, at this seat
//	-mark           idle, at this seat
//	n               in use, with n references beside the first, and at no seat
//	pooled          idle elsewhere
//
// These are all the ways from one to another, and who may go them:
//
//	mark → -mark    Release of the last reference, which does not touch the Buffer after that
//	-mark → mark    claim and claimAny, by who holds the seat
//	n → mark + n    take, by who holds the seat, for a Buffer that it alone has
//	mark + n → n    evict
//	-mark → pooled  evict, which leaves the Buffer to the collector
//	n → pooled      Release of the last reference, and PutAll
//
// Where PutAll ends a Buffer at a seat, or Release one that has more than its array
// to give back, that takes two steps, mark + n → mark + 2*gone → -mark, with the
// work between them; if evict comes between them, too, the last is 2*gone → pooled.
//
// To hold a seat is to be pinned to its processor, or in the portable engine to
// have its lock. seat.own only says where to look: a Buffer is at the seat if its
// count says so too. Since every seat has another mark, and a Buffer gets it from
// a holder that nobody else has the Buffer of, no Buffer is at two seats, or at
// one and elsewhere.
//
// Claim stores the count and does not swap it, which would cost as much as a
// release. So evict may find the Buffer idle at the moment in which it is
// claimed. Then the claim stands, whichever store comes last; the Buffer counts
// as dropped, and since the seat does not point at it any more it goes to the
// collector after its use: it ends as if it were at the seat.

// maxBusy is how often the Buffer of a seat may be in use when somebody looks for
// it before another one takes the seat: who keeps it for long has no use for the
// seat, and looking at its count slows down writes to it on another processor.
const maxBusy = 16

// unit is the distance of marks. Counts are smaller by far.
const unit = 1 << 40

// gone is more references than anybody adds. The Buffer of a seat that ends has
// twice as many, so that nobody who calls Release ends it again.
const gone = unit / 8

// pooled is far from all counts and marks: calls through stale pointers may
// change it by a little.
const pooled = math.MinInt64 / 2

// mark returns the multiple of unit that belongs to a count: for one that is in
// use the mark of its seat or 0, and otherwise something negative.
func mark(refs int64) int64 { return (refs + unit/2) &^ (unit - 1) }

// nobody is at a seat that is free.
var nobody Buffer

func init() { nobody.refs.Store(pooled) }

// A seat is the place of one Buffer. Who holds it owns it, but for the atomic
// fields, which evict and statistics use too.
type seat struct {
	own  atomic.Pointer[Buffer] // never nil
	mark int64
	use
	busy uint8        // times in a row that the Buffer was in use when it was looked for
	seen atomic.Int64 // claims before the last collection; -1 if the Buffer came after it
	mu   sync.Mutex   // in the portable engine: held by the holder

	// What is above fills a cache line.

	claims [32]atomic.Int64 // by class of the array
}

// hold returns the seat of the caller's processor or stripe, which the caller
// holds until leave; nil if there is none, or somebody has the stripe. The caller
// must not do meanwhile what rt.Pin forbids.
func (h *shelf) hold() *seat {
	n := len(h.seats)
	if n == 0 {
		return nil
	}
	if h.portable {
		if s := &h.seats[uint64(rt.Stripe())*uint64(n)>>32]; s.mu.TryLock() {
			return s
		}
		return nil
	}
	if pid := rt.Pin(); pid < n {
		return &h.seats[pid]
	}
	rt.Unpin() // GOMAXPROCS has grown since
	return nil
}

// leave ends what hold began.
func (h *shelf) leave(s *seat) {
	if h.portable {
		s.mu.Unlock()
	} else {
		rt.Unpin()
	}
}

// idle reports whether b, which own pointed at, is idle and its array is one of
// class k. The caller holds s, and may claim it then.
func (s *seat) idle(b *Buffer, k uint8) bool {
	return b.refs.Load() == -s.mark && cap(b.B) == 1<<(k%64)
}

// claim takes b, which is idle and has an array of class k.
func (s *seat) claim(b *Buffer, k uint8) {
	rt.Store(&b.refs, s.mark)
	s.count(k)
}

// claimAny takes the Buffer if it is idle, whatever its array, and even if stale
// calls have changed its count. The caller holds s.
func (s *seat) claimAny() *Buffer {
	b := s.own.Load()
	n := b.refs.Load()
	if mark(n) != -s.mark || !b.refs.CompareAndSwap(n, s.mark) {
		return nil
	}
	s.count(arrayClass(b))
	return b
}

// count notes that an array of class k was taken. The caller holds s.
func (s *seat) count(k uint8) {
	c := &s.claims[k%32]
	rt.Store(c, c.Load()+1)
}

// lent reports whether the Buffer is in use. The caller holds s.
func (s *seat) lent() bool { return mark(s.own.Load().refs.Load()) == s.mark }

// take gives b, which only the caller has, the seat here unless another Buffer
// is at it, or b is tracked.
func (h *shelf) take(b *Buffer) *Buffer {
	if check.Closes() || b.refs.Load() != 0 {
		return b
	}
	s := h.hold()
	if s == nil {
		return b
	}
	m := mark(s.own.Load().refs.Load())
	free := m != s.mark && m != -s.mark
	if free {
		rt.Store(&b.refs, s.mark)
		s.own.Store(b)
		s.seen.Store(-1)
	}
	h.leave(s)
	if free {
		h.objects.Pool().Arm()
		if check.Closes() {
			h.evict(s) // since a moment ago, and Trim may have come before b
		}
	}
	return b
}

// evict takes the seat from the Buffer at it, and drops it if it is idle. It
// returns the bytes that were dropped. Anybody may call it who holds no seat.
func (h *shelf) evict(s *seat) (freed int64) {
	b := s.own.Swap(&nobody)
	for {
		n := b.refs.Load()
		switch mark(n) {
		case s.mark:
			if b.refs.CompareAndSwap(n, n-s.mark) {
				return 0
			}
		case -s.mark:
			if b.refs.CompareAndSwap(n, pooled) {
				k := arrayClass(b)
				h.dropped[k].Add(1)
				check.Own(b.B) // the program may have put it there: it is not lost
				return int64(1) << k &^ 1
			}
		default:
			return 0
		}
	}
}

// Age implements [engine.Companion]: a Buffer that was not claimed since the
// collection before is evicted.
func (h *shelf) Age() (left bool) {
	for i := range h.seats {
		s := &h.seats[i]
		claims := int64(0)
		for k := range s.claims {
			claims += s.claims[k].Load()
		}
		if s.seen.Swap(claims) == claims {
			h.evict(s)
		}
		left = left || s.own.Load() != &nobody
	}
	return left
}

// Trim implements [engine.Companion].
func (h *shelf) Trim() (freed int64) {
	h.followSizes()
	for i := range h.seats {
		freed += h.evict(&h.seats[i])
	}
	return freed
}

// Traffic implements [engine.Companion]. What is at a seat was put there, and
// what was claimed or dropped too. Class 0 is no array.
func (h *shelf) Traffic(k int) (gets, puts, idle uint64) {
	for i := range h.seats {
		s := &h.seats[i]
		if h.portable {
			s.mu.Lock() // an idle Buffer is looked into
		}
		gets += uint64(s.claims[k].Load())
		if b := s.own.Load(); mark(b.refs.Load()) == -s.mark && int(arrayClass(b)) == k {
			idle++
		}
		if h.portable {
			s.mu.Unlock()
		}
	}
	return gets, gets + idle + h.dropped[k].Load(), idle
}

// arrayClass returns the class that the array of b is counted in: above the
// pool's classes if it is larger than these.
func arrayClass(b *Buffer) uint8 { return class(cap(b.B)) % 32 }
