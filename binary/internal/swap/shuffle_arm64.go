//go:build !octet_purego

package swap

const (
	haveShuffle = true

	// vector is the least number of bytes that shuffle takes.
	vector = 16
)

// shuffle copies n bytes, n >= vector, and reverses elements of 2, 4 or 8 bytes,
// of whose size n is a multiple. It uses NEON.
//
// Sound: it reads n bytes from src and writes n bytes to dst, and nothing else. Copy has
// checked that both have them.
//
//go:noescape
func shuffle(dst, src *byte, n, size int)
