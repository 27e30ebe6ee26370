// Package swap copies numbers and reverses their byte order, from little-endian to
// big-endian and back.
//
// # Map
//
//	swap.go                              Copy, which chooses an implementation
//	loops.go                             portable loops, eight bytes at a time
//	shuffle_amd64.go, shuffle_amd64.s    with AVX2, if the processor has it
//	shuffle_arm64.go, shuffle_arm64.s    with NEON, which every arm64 processor has
//	shuffle_none.go                      for other processors and the tag octet_purego
package swap

// Copy copies src to dst and reverses the bytes of each element. The size of an element
// must be 1, 2, 4 or 8 bytes, the length of src a multiple of it, and dst at least as
// long as src. Otherwise Copy panics before it writes anything.
//
// Neither slice needs any alignment. They may be the same memory, whose elements are
// then reversed in place; any other overlap leaves garbage in dst. Copy accesses no
// bytes outside of the two slices.
func Copy(dst, src []byte, size int) {
	dst = dst[:len(src)]
	if sizes>>uint(size)&1 == 0 || len(src)&(size-1) != 0 {
		panic("swap: no such size, or the length is no multiple of it")
	}
	if haveShuffle && len(src) >= vector && size > 1 {
		shuffle(&dst[0], &src[0], len(src), size)
		return
	}
	loop(dst, src, size)
}

// sizes has a bit set for each valid size.
const sizes = 1<<1 | 1<<2 | 1<<4 | 1<<8
