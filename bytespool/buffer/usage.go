package buffer

import (
	"math/bits"
	"sync/atomic"

	"github.com/octet-go/octet/internal/engine"
)

// An idle Buffer keeps its array, whatever its capacity. Without an explicit
// capacity, the size of the array that Get returns follows recent use: it is of the
// usual class if such a Buffer is idle, and otherwise has room for
// DefaultBufferSize.
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
//
// Worst case: large uses, followed by small ones that last. Each of these may have
// an array of the usual class for large ones, but only one that was idle already:
// nothing is allocated because it is usual, and the first small use that ends lowers
// the usual class. So the memory behind small uses is at most what the large ones
// left idle.
type usage struct {
	asked atomic.Int64  // the DefaultBufferSize that usual is for: at least its class
	usual atomic.Uint32 // class of the pool

	// A content of least to least+span-1 bytes changes nothing. The fields are stored
	// one by one: a goroutine that sees old values of some learns a little later.
	least atomic.Uint32
	span  atomic.Uint32
}

// A streak is how many uses of a Buffer in a row needed more than was usual.
type streak uint8

const (
	fullStreak streak = 7

	// explicit is the streak of a Buffer with an explicit capacity. Nothing is learnt
	// from it.
	explicit streak = 1<<8 - 1
)

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

// class returns the usual class if it was set for a DefaultBufferSize of asked, and
// NoClass otherwise.
func (u *usage) class(asked int) uint8 {
	if u.asked.Load() == int64(asked) {
		return uint8(u.usual.Load())
	}
	return engine.NoClass
}

// ask sets the usual class of p for a DefaultBufferSize of asked, and returns it.
func (u *usage) ask(p *engine.Pool, asked int) uint8 {
	u.set(p, max(uint8(u.usual.Load()), p.Class(asked)), p.Class(asked))
	u.asked.Store(int64(asked))
	return uint8(u.usual.Load())
}

// set sets the usual class. The smallest that it may be is floor.
func (u *usage) set(p *engine.Pool, usual, floor uint8) {
	capacity, least := p.Capacity(usual), 0
	if usual > floor {
		least = capacity/4 + 1
	}
	u.usual.Store(uint32(usual))
	u.least.Store(uint32(least))
	u.span.Store(uint32(capacity - least + 1))
}

// steady reports whether there is nothing to learn from the use of b, which ends.
func (u *usage) steady(b *Buffer) bool {
	return b.peak == 0 && uint32(len(b.B))-u.least.Load() < u.span.Load()
}

// learn learns from b, a Buffer of p whose use ends.
func (u *usage) learn(p *engine.Pool, b *Buffer) {
	n := b.needed()
	floor := p.Class(min(DefaultBufferSize, maxSize))
	usual, needed := uint8(u.usual.Load()), max(p.Class(min(n, maxSize)), floor)
	switch {
	case b.streak == explicit:
		b.streak = 0
	case needed > usual:
		if b.streak++; b.streak == fullStreak {
			u.set(p, needed, floor)
			b.streak = 0
		}
	case usual > floor && n <= p.Capacity(usual)/4:
		u.set(p, needed, floor)
		b.streak = 0
	default:
		b.streak = 0
	}
}
