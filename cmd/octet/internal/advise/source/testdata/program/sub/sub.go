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

// Count is generic.
func Count[T any](p []T) int { return len(p) }

// A Holder holds what it is given to hold.
type Holder struct {
	p []byte
	n int
}

// Add borrows.
func (h *Holder) Add(p []byte) { h.n += Sum(p) }

// Hold keeps.
func (h *Holder) Hold(p []byte) { h.p = p }

// Both has a Holder.
type Both struct{ Holder }

// An Interface may have methods of any package.
type Interface interface{ Add([]byte) }
