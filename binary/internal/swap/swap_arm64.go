//go:build !octet_purego

package swap

// vector is what the kernels need at least; shorter copies take the loops.
const vector = 16

// rev16neon copies n bytes, n >= vector and a multiple of 2.
//
// Sound: it reads src[:n] and writes dst[:n], as the callers have checked that
// there are, and nothing else.
//
//go:noescape
func rev16neon(dst, src *byte, n int)

// rev32neon is rev16neon for groups of four.
//
//go:noescape
func rev32neon(dst, src *byte, n int)

// rev64neon is rev16neon for groups of eight.
//
//go:noescape
func rev64neon(dst, src *byte, n int)

func copy16(dst, src []byte) {
	if len(src) >= vector {
		rev16neon(&dst[0], &src[0], len(src)&^1)
	} else {
		loop16(dst, src)
	}
}

func copy32(dst, src []byte) {
	if len(src) >= vector {
		rev32neon(&dst[0], &src[0], len(src)&^3)
	} else {
		loop32(dst, src)
	}
}

func copy64(dst, src []byte) {
	if len(src) >= vector {
		rev64neon(&dst[0], &src[0], len(src)&^7)
	} else {
		loop64(dst, src)
	}
}
