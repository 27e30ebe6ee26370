package buffer

import (
	"math/bits"
	"sync/atomic"

	"github.com/octet-go/octet/internal/engine"
)

// An idle Buffer keeps its array, whatever its capacity. Without an explicit
// capacity, the size of the array that Get returns follows recent use: it is of the
// usual class if such a Buffer is idle, or else of a smaller one if the caller's
// processor has one, and otherwise has room for leastSize bytes.
//
// The usual class is learnt when Buffers that Get returned in this way are released.
// It goes up when seven uses of a Buffer in a row needed more, to what the seventh
// needed. It goes down as soon as one use needed a quarter of it or less, to what
// that use needed. So a program that needs 1 MiB each time soon gets that much; one
// that needs 100 bytes after that gets as little from the second time on; and a
// large use now and then changes nothing. (A pool of buffers of varying sizes that
// keeps the largest ones is the subject of go.dev/issue/27735.)
//
// Processors share the usual class, and should rarely write to its cache line. So
// uses in a row are counted in each Buffer, and it takes seven of them: where half of
// all uses are large, in random order, one use in about a hundred changes the class.
// A Buffer that is new to the source goes on with the highest count that others have
// reached. Otherwise a program that takes new ones all the time, because it holds several
// at once or gives them arrays of its own, would never count to seven.
//
// Worst case: large uses, followed by small ones that last. Nothing is allocated because it
// is usual, and an array of a larger class than was asked for is a loan: what is held pins
// no more than the pool may lend (see lend.go of package engine).
type usage struct {
	usual atomic.Uint32               // class of the pool, at least that of leastSize
	head  atomic.Pointer[engine.Head] // of usual

	// A content of least to least+span-1 bytes changes nothing. The fields are stored
	// one by one: a goroutine that sees old values of some learns a little later.
	least atomic.Uint32
	span  atomic.Uint32

	_     [64]byte      // uses that need more write to what follows; all others read what precedes
	baton atomic.Uint32 // the longest streak since a new Buffer took it over, or the class was changed
}

// leastSize is the room that Get returns at least.
const leastSize = 64

// A streak is how many uses of a Buffer in a row needed more than was usual.
type streak uint8

const (
	fullStreak streak = 7

	// explicit is the streak of a Buffer with an explicit capacity. Nothing is learnt
	// from it, nor from those with larger streaks.
	explicit streak = 1<<8 - 3

	// asks is explicit of one that asks for what it grows by.
	asks = explicit + 1
)

// explicit returns the streak of a Buffer like b with an explicit capacity.
func (b *Buffer) explicit() streak {
	if b.streak == asks {
		return asks
	}
	return explicit
}

// log2 returns the logarithm of n, at least 1, to the base 2, rounded up.
func log2(n int) uint8 { return uint8(bits.Len(uint(max(n, 1) - 1))) }

// needed returns the size of the largest content that b had in this use, rounded up
// if that is gone.
func (b *Buffer) needed() int {
	if b.peak == 0 {
		return len(b.B)
	}
	return max(len(b.B), 1<<b.peak)
}

// setUsual sets the usual class. The smallest that it may be is floor.
func (s *source) setUsual(usual, floor uint8) {
	u := &s.usage
	capacity, least := s.engine.Capacity(usual), 0
	if usual > floor {
		least = capacity/4 + 1
	}
	u.usual.Store(uint32(usual))
	u.head.Store(s.objects.Head(usual))
	u.least.Store(uint32(least))
	u.span.Store(uint32(capacity - least + 1))
}

// steady reports whether there is nothing to learn from the use of b, which ends.
func (u *usage) steady(b *Buffer) bool {
	return b.peak == 0 && uint32(len(b.B))-u.least.Load() < u.span.Load()
}

// adopt makes b a Buffer of s. It was another source's, or is new.
func (s *source) adopt(b *Buffer) {
	b.home = s
	b.streak = streak(s.usage.baton.Swap(0))
}

// learn learns from b, a Buffer of s whose use ends.
func (s *source) learn(b *Buffer) {
	p, n := s.engine, b.needed()
	b.peak = 0
	floor := p.Class(leastSize)
	usual, needed := uint8(s.usage.usual.Load()), max(p.Class(min(n, maxSize)), floor)
	switch {
	case b.streak >= explicit:
		b.streak = 0
	case needed > usual:
		if b.streak++; b.streak == fullStreak {
			s.setUsual(needed, floor)
			b.streak = 0
		}
		if n := uint32(b.streak); n == 0 || n > s.usage.baton.Load() {
			s.usage.baton.Store(n)
		}
	case usual > floor && n <= p.Capacity(usual)/4:
		s.setUsual(needed, floor)
		b.streak = 0
	default:
		b.streak = 0
	}
}
