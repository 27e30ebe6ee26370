// Package swap copies bytes and reverses the byte order of every element on the
// way: what turns little-endian numbers into big-endian ones and back.
//
// # Map
//
//	swap.go                              Copy, which chooses
//	loops.go                             portable loops, eight bytes at a time
//	shuffle_amd64.go, shuffle_amd64.s    with AVX2, if the processor has it
//	shuffle_arm64.go, shuffle_arm64.s    with NEON, which every arm64 processor has
//	shuffle_none.go                      for other processors and the tag octet_purego
package swap

// Copy copies src to dst and reverses the bytes of each element of size bytes,
// which is 1, 2, 4 or 8. The length of src is a multiple of that, and dst is not
// shorter, else Copy panics before it has written anything.
//
// Neither needs any alignment. The two may be one and the same memory, which
// then is reversed in place; any other overlap leaves rubbish in dst. A byte
// outside of them is neither written nor read.
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

// sizes has a bit set for each size that there is.
const sizes = 1<<1 | 1<<2 | 1<<4 | 1<<8
