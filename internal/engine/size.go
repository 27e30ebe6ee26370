package engine

import (
	"math"
	"math/bits"
)

// A grid says which capacities the classes have: powers of two, or with more steps a
// doubling, up to 256 bytes powers of two and above that multiples of 64. Where it is
// plain, class k has items of 1<<k bytes. Class 0 is never used.
type grid struct {
	log2 uint32 // of the steps a doubling: 0, 1 or 2
}

const (
	// plainClasses is how many classes a plain grid has, and steppedClasses how many
	// any has at most, both rounded up so that a masked index needs no check.
	plainClasses   = 32
	steppedClasses = 128

	firstClass = 1 // 2 bytes: New(1) and New(2) may share a class

	// On every grid, class k has 1<<k bytes up to this class.
	lastPlain = 8

	// largestLog2 is the largest capacity: 2 GiB, or 1 GiB where an int cannot hold
	// that.
	largestLog2 = 30 + (math.MaxInt>>32)&1

	sizeLimit = math.MaxInt32 // what minimum and maximum are clamped to

	// maxSlice is the size of an address space. A request above it is a
	// mistake, not a request.
	maxSlice uint64 = 1 << 47
)

// classOf returns the smallest class for size, at most 4 GiB.
func (g grid) classOf(size int) int { return int(g.classWith(uint32(max(size, 1) - 1))) }

// classWith returns the smallest class whose items have a byte at last.
func (g grid) classWith(last uint32) uint32 {
	k := uint32(bits.Len32(last))
	if g.log2 == 0 || k <= lastPlain {
		return k
	}
	// The bits of last that follow its first say in which step it is.
	return (k-1-lastPlain)<<g.log2 + last>>(k-1-g.log2) + (lastPlain + 1 - 1<<g.log2)
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
}

func newSizes(minSize, maxSize int, g grid) *sizes {
	s := &sizes{grid: g, max: min(max(maxSize, 1<<firstClass), sizeLimit)}
	s.min = min(max(minSize, 1<<firstClass), s.max)
	s.minClass = min(g.classOf(s.min), g.last())
	s.maxClass = min(g.classOf(s.max), g.last())
	s.least, s.most = g.capacity(s.minClass), g.capacity(s.maxClass)
	s.fit = min(s.max, s.most)
	return s
}

// classOf returns the smallest class for size, which is at most s.fit.
func (s *sizes) classOf(size int) int { return max(s.minClass, s.grid.classOf(size)) }

// takes reports whether a class takes slices of capacity n, under the largest that
// fits. It does not where New allocates slices of that capacity: they would come
// back to a class that has not handed them out.
func (s *sizes) takes(n int) bool { return n >= s.least && (n <= s.fit || n == s.most) }

// has reports whether c is one of the classes.
func (s *sizes) has(c *class) bool {
	return uintptr(s.least) <= c.capacity && c.capacity <= uintptr(s.most)
}

// ceilLog2 returns the smallest k with 1<<k >= n, and 0 if n < 2.
func ceilLog2(n int) int {
	return bits.Len(uint(max(n, 1) - 1))
}
