// Package pools has releases that look as if they went into another pool than the memory came from.
package pools

import (
	"bufio"
)

type conn struct {
	scratch [256]byte
	w       *bufio.Writer
	r       *bufio.Reader
	in      []byte
}

// sink counts what it is given.
type sink struct{ n int }
