// Package sub is called by package program.
package sub

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
