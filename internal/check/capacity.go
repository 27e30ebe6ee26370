package check

import "math/bits"

// Mode sample recognises its slices by their capacity when they are released, so
// that all others keep the fast path. No pool is asked which capacities its
// classes have: a class is a power of two up to 256 bytes, and a multiple of 64
// above. A sampled slice has more than its class and less than the next one, so
// that a release which nobody looks at files it under its class.
//
//	class     2  4  8 16 32 64 128 256  n > 256
//	sampled   3  6 12 24 48 96 168 296  n + 40
const excess = 40 // of a sampled slice above a class of 64 bytes

// SampledCapacity returns the capacity of a sampled slice of a class.
func SampledCapacity(class int) int { return class + min(class/2, excess) }

// ClassCapacity returns the capacity of the class of a slice of capacity n if that
// is the capacity of a sampled slice, and otherwise n.
func ClassCapacity(n int) int {
	class := n - excess
	if n < 64+excess {
		class = n / 3 * 2
	}
	if isClass(class) && SampledCapacity(class) == n {
		return class
	}
	return n
}

// isClass reports whether a class may have capacity n.
func isClass(n int) bool {
	if n <= 256 {
		return n > 1 && bits.OnesCount(uint(n)) == 1
	}
	return n%64 == 0
}
