// Package swap copies bytes and reverses the byte order of every element on the
// way: what turns little-endian numbers into big-endian ones and back.
//
// The files of the package:
//
//   - loops.go has the portable loops, which work eight bytes at a time;
//   - swap_amd64.go and swap_amd64.s have the kernels for AVX2, and find out
//     whether the processor has it;
//   - swap_arm64.go and swap_arm64.s have the kernels for NEON, which every
//     arm64 processor has;
//   - swap_other.go sends everybody else, and the tag octet_purego, to the loops.
//
// All functions follow the same rules. They read len(src) bytes, which must be a
// multiple of the element's size, and write as many to the beginning of dst; a
// shorter dst panics before anything is written. Neither needs any alignment.
// The two may be one and the same memory, which then is reversed in place; any
// other overlap leaves rubbish in dst. A byte outside of both is never touched,
// nor read.
package swap

// Copy16 copies src to dst and reverses each pair of bytes.
func Copy16(dst, src []byte) { copy16(dst[:len(src)], src) }

// Copy32 copies src to dst and reverses each group of four bytes.
func Copy32(dst, src []byte) { copy32(dst[:len(src)], src) }

// Copy64 copies src to dst and reverses each group of eight bytes.
func Copy64(dst, src []byte) { copy64(dst[:len(src)], src) }
