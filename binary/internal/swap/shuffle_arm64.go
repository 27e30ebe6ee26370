//go:build !octet_purego

package swap

const (
	haveShuffle = true

	// vector is what shuffle needs at least.
	vector = 16
)

// shuffle copies n bytes, n >= vector, and reverses elements of 2, 4 or 8 bytes,
// of which n is a multiple. It uses NEON.
//
// Sound: it reads n bytes from src and writes n to dst, as Copy has checked that
// there are, and touches nothing else.
//
//go:noescape
func shuffle(dst, src *byte, n, size int)
