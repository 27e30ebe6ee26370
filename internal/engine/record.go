package engine

import (
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// A Record is one processor's or stripe's part of a class. Its holder owns it: see
// the package comment. A record fills a cache line, so that processors do not slow
// each other down.
type Record struct {
	mu     rt.Lock               // in the portable engine: held by the holder
	top    uint32                // of stack
	stack  atomic.Pointer[stack] // never nil: &blocked for none
	victim atomic.Pointer[stack] // what stack was before a collection; nil for none

	gets  uint64 // requests
	puts  uint64 // releases
	empty uint64 // requests that found nothing here

	// The fast paths do not use what follows. A table of more than 512 bytes begins 8
	// bytes into a cache line, because the allocator puts a header there. The fields
	// below then share a line with the next record.

	victimTop uint32
	limit     uint32 // items that a stack may hold here; 0 for no stack
	owed      uint64 // what puts will be when all that was lent has come back, or less
}

// init makes l a record without a stack.
func (l *Record) init(limit int) {
	l.stack.Store(&blocked)
	l.top, l.victimTop = noTop, noTop
	l.limit = uint32(limit)
}

// pop removes the newest item of the stack and counts a request. If there is none, it
// returns the zero item, and counts nothing.
func (l *Record) pop() item {
	s := l.stack.Load()
	x := s.newest(l.top)
	if x.some() {
		s.remove(&l.top)
		l.gets++
	}
	return x
}

// push puts x onto the stack and counts a release, if there is room.
func (l *Record) push(x item) (ok bool) {
	if ok = l.stack.Load().push(&l.top, x); ok {
		l.puts++
	}
	return ok
}

// current returns the stack of l. If trimming has made it the victim, or dropped
// it, since the holder used it last, then top is still that stack's, and becomes
// victimTop.
func (l *Record) current() *stack {
	s := l.stack.Load()
	if s == &blocked && l.top != noTop {
		l.victimTop, l.top = l.top, noTop
	}
	return s
}

// atHand returns the stack that l takes items from, and its top: the victim, if there is
// one and the stack has no items.
func (l *Record) atHand() (s *stack, top *uint32) {
	s = l.current()
	if !s.newest(l.top).some() {
		if v := l.victim.Load(); v != nil { // perhaps, at this moment, the same stack, without items
			return v, &l.victimTop
		}
	}
	return s, &l.top
}

// take removes an idle item from the stack or from the victim. If there is none, it
// returns the zero item.
func (l *Record) take() item {
	s, top := l.atHand()
	return s.pop(top)
}

// lend is take, of an item with the given capacity, for a request of another class, which
// it counts. If too many that were lent are not back, it returns the zero item.
func (l *Record) lend(capacity uintptr) (x item) {
	s, top := l.stack.Load(), &l.top
	if !s.newest(*top).some() {
		s, top = l.atHand()
	}
	if x = s.newest(*top); !x.some() || !l.mayLend(capacity) {
		return item{}
	}
	s.remove(top)
	l.gets++
	l.noteLent()
	return x
}

// mayLend reports whether l may lend an item with the given capacity. It takes whatever was
// released for what was lent before.
func (l *Record) mayLend(capacity uintptr) bool {
	lent := int64(l.owed - l.puts)
	return lent <= 0 || uint64(lent+1)*uint64(capacity) < lendBytes
}

// noteLent notes that l has lent an item.
func (l *Record) noteLent() { l.owed = max(l.owed, l.puts) + 1 }

// install gives l, which has no stack, the stack s, which has no items.
func (l *Record) install(s *stack) {
	l.top = l.limit
	l.stack.Store(s)
}

// resize has l hold up to limit items on its stack s, and on its victim.
func (l *Record) resize(s *stack, limit uint32) {
	if v := l.victim.Load(); v != nil && v != s {
		v.resize(&l.victimTop, l.limit, limit)
	}
	s.resize(&l.top, l.limit, limit)
	l.limit = limit
}

// usedVictim returns the victim of l, which has no stack, if all its items were used,
// and nil otherwise. The caller may install it.
func (l *Record) usedVictim() *stack {
	v := l.victim.Load()
	if v == nil || l.victimTop < l.limit {
		return nil
	}
	l.victim.Store(nil)
	return v
}

// idle returns how many items l keeps. In the pinned engine the holder may be at
// work: the number may then be out of date. The items are not touched.
func (l *Record) idle() int {
	n := l.idleVictim()
	if l.stack.Load() != &blocked {
		n += l.above(atomic.LoadUint32(&l.top))
	}
	return n
}

// above returns how many items a stack with the given top has.
func (l *Record) above(top uint32) int {
	limit := atomic.LoadUint32(&l.limit)
	return int(limit - min(top, limit))
}

// idleVictim returns how many items the victim has.
func (l *Record) idleVictim() int {
	if v := l.victim.Load(); v == nil || v == l.stack.Load() {
		return 0
	}
	top := atomic.LoadUint32(&l.victimTop)
	if t := atomic.LoadUint32(&l.top); l.stack.Load() == &blocked && t != noTop {
		top = t // see current
	}
	return l.above(top)
}

// dropVictim takes the victim from l, for trimming, and returns how many items it
// had.
func (l *Record) dropVictim() int {
	n := l.idleVictim()
	l.victim.Store(nil)
	return n
}

// retire makes the stack of l its victim, for trimming, and reports whether there
// was one. It looks into neither stack: the holder may be at work on them, and in the
// pinned engine nobody can wait for it.
func (l *Record) retire() bool {
	s := l.stack.Load()
	if s == &blocked {
		l.victim.Store(nil)
		return false
	}
	// In this order: a holder that sees &blocked must find its stack as the victim.
	// One that looks in between finds the same stack in both places: see take.
	l.victim.Store(s)
	l.stack.Store(&blocked)
	return true
}

// drop takes both stacks from l, for trimming, and returns how many items they
// had.
func (l *Record) drop() int {
	n := l.idle()
	// In this order: a holder that finds its stack gone must not take an older victim
	// for that stack.
	l.victim.Store(nil)
	l.stack.Store(&blocked)
	return n
}
