package engine

import (
	"math"
	"math/bits"
)

// Classes are powers of two: class k holds items of 1<<k bytes, 1 <= k <=
// lastClass. The array of classes has 32 places on every machine, so that a
// masked index needs no check; place 0 is never used.
const (
	classCount = 32
	firstClass = 1 // 2 bytes: New(1) and New(2) may share a class

	// lastClass is 31 (2 GiB), or 30 where an int cannot hold that.
	lastClass = 30 + (math.MaxInt>>32)&1

	sizeLimit = math.MaxInt32 // what minimum and maximum are clamped to

	// maxSlice is the size of an address space. A request above it is a
	// mistake, not a request.
	maxSlice uint64 = 1 << 47
)

// sizes is one configuration of a pool. It does not change.
type sizes struct {
	min, max           int // as given, clamped
	minClass, maxClass int
	fit                int // the largest size that a class serves
}

func newSizes(minSize, maxSize int) *sizes {
	s := &sizes{max: min(max(maxSize, 1<<firstClass), sizeLimit)}
	s.min = min(max(minSize, 1<<firstClass), s.max)
	s.minClass = min(ceilLog2(s.min), lastClass)
	s.maxClass = min(ceilLog2(s.max), lastClass)
	s.fit = min(s.max, 1<<s.maxClass)
	return s
}

// classOf returns the smallest class for size, which is at most s.fit.
func (s *sizes) classOf(size int) int {
	return max(s.minClass, ceilLog2(size))
}

// takes reports whether a class takes slices of capacity n, under the largest that
// fits. It does not where New allocates slices of that capacity: they would come
// back to a class that has not handed them out.
func (s *sizes) takes(n int) bool {
	return n >= 1<<s.minClass && (n <= s.fit || n == 1<<s.maxClass)
}

// ceilLog2 returns the smallest k with 1<<k >= n, and 0 if n < 2.
func ceilLog2(n int) int {
	return bits.Len(uint(max(n, 1) - 1))
}
