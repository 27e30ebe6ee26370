// Package box keeps the boxes that slices go into pools in.
package box

import "sync"

var boxes = sync.Pool{New: func() any { return new([]byte) }}

// Leave keeps the box with the slice in it, and returns its length.
func Leave(p *[]byte) int {
	n := len(*p)
	boxes.Put(p)
	return n
}

// A Crate has a slice of its own.
type Crate struct{ b []byte }

// Fill copies p and returns c.
func (c *Crate) Fill(p []byte) *Crate {
	c.b = append(c.b[:0], p...)
	return c
}
