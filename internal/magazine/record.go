package magazine

import (
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// A Record is one processor's or stripe's part of a class. Its holder owns it: see
// the package comment. A record fills a cache line, so that processors do not slow
// each other down.
type Record struct {
	mu      rt.Lock                 // in the portable engine: held by the holder
	top     uint32                  // of stack, or of the stack that is retired
	stack   atomic.Pointer[stack]   // never nil: &blocked for none
	retired atomic.Pointer[retired] // what stack was, if a collection found it idle; else nil

	gets   uint64 // requests
	puts   uint64 // releases
	missed uint64 // requests that found nothing, with those that Class.found counts

	loans uint32 // items that were lent
	lent  uint32 // what they had, in lentUnit

	// A table of more than 512 bytes begins 8 bytes into a cache line, because the allocator
	// puts a header there. What follows then shares a line with the next record.
	room      uint32 // items that a stack may hold here; 0 for no stack; this and the next do not change
	processor uint32
}

// init makes l a record without a stack.
func (l *Record) init(processor, room int) {
	l.processor = uint32(processor)
	l.stack.Store(&blocked)
	l.top = noTop
	l.room = uint32(room)
}

// Pop removes the newest item of the stack and counts a request. If there is none, it
// returns none, and counts nothing.
func (l *Record) Pop() Item {
	s := l.stack.Load()
	x := s.newest(l.top)
	if x.Some() {
		s.remove(&l.top)
		l.gets++
	}
	return x
}

// Push puts x onto the stack and counts a release, if there is room.
func (l *Record) Push(x Item) (ok bool) {
	if ok = l.stack.Load().push(&l.top, x); ok {
		l.puts++
	}
	return ok
}

// Newest returns what Pop would remove, or none.
func (l *Record) Newest() Item { return l.stack.Load().newest(l.top) }

const (
	lookBytes = 4 << 20 // what a class lends on a processor between two looks at what is in use
	lentUnit  = 64
)

// CountLoan counts a loan of an item with the given capacity. It reports whether the caller is to
// look at what is in use.
func (l *Record) CountLoan(capacity uintptr) (look bool) {
	const look64 = lookBytes / lentUnit
	before := l.lent
	l.loans++
	l.lent += uint32((capacity + lentUnit - 1) / lentUnit)
	return l.lent/look64 != before/look64
}

// restore returns the stack of l, for the holder. If that is &blocked, it also takes back
// what was retired, if there is anything, and returns it with the top it has. From then on
// that belongs to the caller.
func (l *Record) restore() (s *stack, r *retired, top uint32) {
	if s = l.stack.Load(); s != &blocked {
		return s, nil, noTop
	}
	if r = l.retired.Load(); r == nil || !l.retired.CompareAndSwap(r, nil) {
		r = nil // or it has just been dropped
	}
	top, l.top = l.top, noTop
	return s, r, top
}

// install gives l the stack s. The caller holds l, and restore has just returned &blocked
// and nothing that was retired. (To look for the stack again is not enough: a step may have
// retired one in between.)
func (l *Record) install(s *stack, top uint32) {
	l.top = top
	l.stack.Store(s)
}

// idle returns how many items l keeps. In the pinned engine the holder may be at
// work: the number may then be out of date. The items are not touched.
func (l *Record) idle() int {
	if l.stack.Load() == &blocked && l.retired.Load() == nil {
		return 0
	}
	room := atomic.LoadUint32(&l.room)
	return int(room - min(atomic.LoadUint32(&l.top), room))
}

// step follows a collection. It retires the stack of l, or drops what it has retired
// before, and reports whether anything is left. It looks into no stack: the holder may
// be at work on it, and in the pinned engine nobody can wait for the holder.
func (l *Record) step(capacity int, keep *Keep) (left bool) {
	bytes := l.idle() * capacity
	if s := l.stack.Load(); s != &blocked {
		// In this order: a holder that sees &blocked must find its stack retired.
		l.retired.Store(retire(s, bytes, keep))
		l.stack.Store(&blocked)
		return true
	}
	r := l.retired.Load()
	if r == nil || r.stays(bytes, keep) {
		return r != nil
	}
	return !l.retired.CompareAndSwap(r, nil) // or the holder has just taken it back
}

// drop takes what l keeps from it, and returns how many items that was. Of l it does no
// more than step.
func (l *Record) drop() int {
	n := l.idle()
	l.retired.Store(nil)
	l.stack.Store(&blocked)
	return n
}
