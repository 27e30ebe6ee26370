package engine

import (
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// A record is one processor's or stripe's part of a class. Its holder owns it: see
// the package comment. A record fills a cache line, so that processors do not slow
// each other down.
type record struct {
	mu     rt.Lock               // in the portable engine: held by the holder
	top    uint32                // of stack
	stack  atomic.Pointer[stack] // never nil: &blocked for none
	victim atomic.Pointer[stack] // what stack was before a collection; nil for none

	gets   uint64 // requests
	puts   uint64 // releases
	empty  uint64 // requests that found nothing here
	stolen uint64 // requests of others that were served here

	// The fast paths do not use what follows. A table of more than 512 bytes lies 8
	// bytes behind a cache line, because the allocator puts a header there; these
	// share a line with the next record then.

	victimTop uint32
	limit     uint32 // items that a stack may hold here; 0 for no stack
}

// init makes l a record without a stack.
func (l *record) init(limit int) {
	l.stack.Store(&blocked)
	l.top, l.victimTop = noTop, noTop
	l.limit = uint32(limit)
}

// current returns the stack of l. If trimming has made it the victim, or dropped
// it, since the holder used it last, then top says how far that stack is filled:
// it goes with it.
func (l *record) current() *stack {
	s := l.stack.Load()
	if s == &blocked && l.top != noTop {
		l.victimTop, l.top = l.top, noTop
	}
	return s
}

// take removes an idle item, from the stack or from the victim. It returns none if
// there is none.
func (l *record) take() item {
	x := l.current().pop(&l.top)
	if x.some() {
		return x
	}
	if v := l.victim.Load(); v != nil { // at this moment perhaps the same stack, without items
		return v.pop(&l.victimTop)
	}
	return item{}
}

// install gives l, which has none, the stack s without items.
func (l *record) install(s *stack) {
	l.top = l.limit
	l.stack.Store(s)
}

// usedVictim returns the victim if all its items were used, which the caller may
// install, and else nil. l has no stack.
func (l *record) usedVictim() *stack {
	v := l.victim.Load()
	if v == nil || l.victimTop < l.limit {
		return nil
	}
	l.victim.Store(nil)
	return v
}

// idle returns how many items l keeps. In the pinned engine the holder may be at
// work: the number is then some moment's, and the items are not touched.
func (l *record) idle() int {
	n := l.idleVictim()
	if l.stack.Load() != &blocked {
		n += l.above(atomic.LoadUint32(&l.top))
	}
	return n
}

// above returns how many items a stack with the given top has.
func (l *record) above(top uint32) int { return int(l.limit - min(top, l.limit)) }

// idleVictim returns how many items the victim has.
func (l *record) idleVictim() int {
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
func (l *record) dropVictim() int {
	n := l.idleVictim()
	l.victim.Store(nil)
	return n
}

// retire makes the stack of l its victim, for trimming, and reports whether there
// was one. Neither stack is looked at: their holder may be at work on them, and in
// the pinned engine cannot be waited for.
func (l *record) retire() bool {
	s := l.stack.Load()
	if s == &blocked {
		l.victim.Store(nil)
		return false
	}
	// In this order: a holder that sees &blocked must find the stack it misses.
	// One that looks in between finds the same stack in both places: see take.
	l.victim.Store(s)
	l.stack.Store(&blocked)
	return true
}

// drop takes both stacks from l, for trimming, and returns how many items they
// had.
func (l *record) drop() int {
	n := l.idle()
	// In this order: a holder that misses its stack must not find an older victim,
	// and take it for that stack.
	l.victim.Store(nil)
	l.stack.Store(&blocked)
	return n
}
