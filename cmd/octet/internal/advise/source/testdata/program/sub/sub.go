// Package sub is called by package program.
package sub

import "bytes"

// Kept keeps.
var Kept []byte

// Sum borrows.
func Sum(p []byte) (n int) {
	for _, c := range p {
		n += int(c)
	}
	return n
}

// Keep keeps.
func Keep(p []byte) { Kept = p }

func Halves(b []byte) [][]byte { return bytes.Split(b, b[:1]) }
