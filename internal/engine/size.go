package engine

import (
	"math"
	"math/bits"
)

// A grid says which capacities the classes have. In a plain grid they are powers of
// two: class k has items of 1<<k bytes, and class 0 is never used. A grid with two or
// four steps a doubling has powers of two up to 256 bytes, and multiples of 64 above.
type grid struct {
	log2 uint32 // of the steps a doubling: 0, 1 or 2
}

const (
	// plainClasses is the number of classes of a plain grid, and steppedClasses the
	// largest number of any grid, both rounded up so that a masked index needs no check.
	plainClasses   = 32
	steppedClasses = 128

	firstClass = 1 // 2 bytes: New(1) and New(2) may share a class

	// On every grid, class k has 1<<k bytes up to this class.
	lastPlain = 8

	// largestLog2 is the largest capacity: 2 GiB, or 1 GiB where an int cannot hold
	// that.
	largestLog2 = 30 + (math.MaxInt>>32)&1

	sizeLimit = math.MaxInt32 // minimum and maximum are clamped to this

	// maxSlice is the size of an address space. A request above it is a
	// mistake, not a request.
	maxSlice uint64 = 1 << 47
)

// classOf returns the smallest class for size, at most 4 GiB.
func (g grid) classOf(size int) int { return int(g.classWith(uint32(max(size, 1) - 1))) }

// classWith returns the smallest class whose items have a byte at last.
func (g grid) classWith(last uint32) uint32 {
	if g.log2 == 0 {
		return uint32(bits.Len32(last))
	}
	return g.stepWith(last)
}

// stepWith is classWith for a grid with steps.
func (g grid) stepWith(last uint32) uint32 {
	k := uint32(bits.Len32(last))
	if k <= lastPlain {
		return k
	}
	// The first bits of last, which begin with a 1, say in which step it is. That shifts
	// are below 32 tells the compiler that they need no check.
	return (k-lastPlain-2)<<(g.log2%32) + last>>((k-1-g.log2)%32) + lastPlain + 1
}

// capacity returns the bytes of an item of class k.
func (g grid) capacity(k int) int {
	if g.log2 == 0 || k <= lastPlain {
		return 1 << k
	}
	k -= lastPlain + 1
	doublings, step := k>>g.log2, k&(1<<g.log2-1)
	return (1<<g.log2 + step + 1) << (lastPlain + uint32(doublings) - g.log2)
}

// floor returns the largest class whose items have at most n bytes, for n up to the
// capacity of the last.
func (g grid) floor(n int) int {
	k := g.classOf(n)
	if g.capacity(k) > n {
		k--
	}
	return k
}

// last returns the largest class there is.
func (g grid) last() int { return g.classOf(1 << largestLog2) }

// sizes is one configuration of a pool. It does not change.
type sizes struct {
	grid
	min, max           int // as given, clamped
	minClass, maxClass int
	least, most        int // their capacities
	fit                int // the largest size that a class serves
	beyond             int // the largest capacity that is lent, up to twice most
}

func newSizes(minSize, maxSize int, g grid) *sizes {
	s := &sizes{grid: g, max: min(max(maxSize, 1<<firstClass), sizeLimit)}
	s.min = min(max(minSize, 1<<firstClass), s.max)
	s.minClass = min(g.classOf(s.min), g.last())
	s.maxClass = min(g.classOf(s.max), g.last())
	s.least, s.most = g.capacity(s.minClass), g.capacity(s.maxClass)
	s.fit = min(s.max, s.most)
	s.beyond = g.capacity(g.classOf(2 * min(s.most, 1<<(largestLog2-1))))
	return s
}

// serves reports whether a class serves requests for size. One for all of the largest
// class is served although it is above the largest size: its slice would come back to
// that class.
func (s *sizes) serves(size int) bool { return size <= s.fit || size == s.most }

// classOf returns the smallest class for size, which one serves.
func (s *sizes) classOf(size int) int { return max(s.minClass, s.grid.classOf(size)) }

// takes reports whether a class takes slices of capacity n: the largest that fits.
// None takes a capacity that New allocates outside the classes, because such slices
// would return to a class that has not handed them out.
func (s *sizes) takes(n int) bool { return n >= s.least && s.serves(n) }

// has reports whether c is one of the classes.
func (s *sizes) has(c *class) bool {
	return uintptr(s.least) <= c.capacity && c.capacity <= uintptr(s.most)
}
