package magazine

import (
	"math"
	"math/bits"
)

// A Grid says which capacities the classes have. In a plain grid they are powers of
// two: class k has items of 1<<k bytes, and class 0 is never used. A grid with two or
// four steps a doubling has powers of two up to 256 bytes, and multiples of 64 above.
type Grid struct {
	Log2  uint32 // of the steps a doubling: 0, 1 or 2
	exact uint32 // the capacity of one class that has less than it would have, or 0
	short uint32 // how much less
}

// WithExact returns g with a class of exactly n bytes in place of the smallest class for n,
// unless that is the last.
func (g Grid) WithExact(n int) Grid {
	if full := g.Capacity(g.ClassOf(n)); full != n && full < 1<<LargestLog2 {
		g.exact, g.short = uint32(n), uint32(full-n)
	}
	return g
}

const (
	// PlainClasses is the number of classes of a plain grid, and SteppedClasses the
	// largest number of any grid, both rounded up so that a masked index needs no check.
	PlainClasses   = 32
	SteppedClasses = 128

	FirstClass = 1 // 2 bytes: sizes 1 and 2 may share a class

	// On every grid, class k has 1<<k bytes up to this class.
	lastPlain = 8

	// LargestLog2 is the largest capacity: 2 GiB, or 1 GiB where an int cannot hold
	// that.
	LargestLog2 = 30 + (math.MaxInt>>32)&1
)

// OddLeast is the least capacity of an item that has more than the capacity of its class.
const OddLeast = 4

// Plain reports whether all classes are powers of two.
func (g Grid) Plain() bool { return g == Grid{} }

// ClassOf returns the smallest class for size, at most 4 GiB.
func (g Grid) ClassOf(size int) int { return int(g.ClassWith(uint32(max(size, 1) - 1))) }

// ClassWith returns the smallest class whose items have a byte at last.
func (g Grid) ClassWith(last uint32) uint32 {
	if last-g.exact < g.short { // the next class, which is larger than g.short
		last += g.short
	}
	if g.Log2 == 0 {
		return uint32(bits.Len32(last))
	}
	return g.StepWith(last)
}

// StepWith is ClassWith for a grid that is not plain, for a size that the exact class
// has room for, or none up to its next.
func (g Grid) StepWith(last uint32) uint32 {
	k := uint32(bits.Len32(last))
	if k <= lastPlain {
		return k
	}
	// The first bits of last, which begin with a 1, say in which step it is. That shifts
	// are below 32 tells the compiler that they need no check.
	return (k-(lastPlain+2))<<(g.Log2%32) + last>>((k-1-g.Log2)%32) + (lastPlain + 1)
}

// Capacity returns the bytes of an item of class k.
func (g Grid) Capacity(k int) int {
	if n := g.inFull(k); n != int(g.exact+g.short) {
		return n
	}
	return int(g.exact)
}

// inFull is Capacity of a grid without an exact class.
func (g Grid) inFull(k int) int {
	if g.Log2 == 0 || k <= lastPlain {
		return 1 << k
	}
	k -= lastPlain + 1
	doublings, step := k>>g.Log2, k&(1<<g.Log2-1)
	return (1<<g.Log2 + step + 1) << (lastPlain + uint32(doublings) - g.Log2)
}

// Exact returns the smallest class for n, and reports whether it has just n bytes.
func (g Grid) Exact(n int) (k int, ok bool) {
	k = g.ClassOf(n)
	return k, g.Capacity(k) == n
}

// Floor returns the largest class whose items have at most n bytes, for n up to the
// capacity of the last.
func (g Grid) Floor(n int) int {
	k, ok := g.Exact(n)
	if !ok {
		k--
	}
	return k
}

// Last returns the largest class there is.
func (g Grid) Last() int { return g.ClassOf(1 << LargestLog2) }
