package check

import "math/bits"

// Mode sample recognises its slices by their capacity when they are released, so
// that all others keep the fast path. This needs no knowledge of the pool: the
// capacity of a class is a power of two up to 256 bytes, and a multiple of 64 above.
// That of a sampled slice lies between its class and the next one, so that a pool
// which does not recognise it files it under its class.
//
//	class     2  4  8 16 32 64 128 256  n > 256
//	sampled   3  6 12 24 48 96 168 296  n + 40
const excess = 40 // of a sampled slice above a class of 64 bytes

// SampledCapacity returns the capacity of a sampled slice of a class.
func SampledCapacity(class int) int { return class + min(class/2, excess) }

// ClassCapacity is the inverse of SampledCapacity. If n is the capacity of no sampled
// slice, it returns n.
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
