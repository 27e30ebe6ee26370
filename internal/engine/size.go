package engine

import (
	"math"

	"github.com/octet-go/octet/internal/magazine"
)

const (
	sizeLimit = math.MaxInt32 // minimum and maximum are clamped to this

	// maxSlice is the size of an address space. A request above it is a
	// mistake, not a request.
	maxSlice uint64 = 1 << 47
)

// A grid says which capacities the classes have.
type grid = magazine.Grid

// sizes is one configuration of a pool. It does not change.
type sizes struct {
	grid
	min, max           int // as given, clamped
	minClass, maxClass int
	least, most        int // their capacities
	fit                int // the largest size that a class serves
}

func newSizes(minSize, maxSize int, g grid) *sizes {
	s := &sizes{grid: g, max: min(max(maxSize, 1<<magazine.FirstClass), sizeLimit)}
	s.min = min(max(minSize, 1<<magazine.FirstClass), s.max)
	s.minClass = min(g.ClassOf(s.min), g.Last())
	s.maxClass = min(g.ClassOf(s.max), g.Last())
	s.least, s.most = g.Capacity(s.minClass), g.Capacity(s.maxClass)
	s.fit = min(s.max, s.most)
	return s
}

// serves reports whether a class serves requests for size. One for all of the largest
// class is served although it is above the largest size: its slice would come back to
// that class.
func (s *sizes) serves(size int) bool { return size <= s.fit || size == s.most }

// classOf returns the smallest class for size, which one serves.
func (s *sizes) classOf(size int) int { return max(s.minClass, s.ClassOf(size)) }

// takes reports whether a class takes slices of capacity n: the largest that fits.
// None takes a capacity that New allocates outside the classes, because such slices
// would return to a class that has not handed them out.
func (s *sizes) takes(n int) bool { return n >= s.least && s.serves(n) }

// has reports whether class k is one of the classes.
func (s *sizes) has(k int) bool { return s.minClass <= k && k <= s.maxClass }
