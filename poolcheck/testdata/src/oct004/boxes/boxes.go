// Package boxes takes slices out of boxes that another package keeps.
package boxes

import (
	"sync"

	"oct004/boxes/box"
)

var pool sync.Pool

// bad: the box goes back with its slice.
func length() int {
	p, ok := pool.Get().(*[]byte)
	if !ok {
		return 0
	}
	n := box.Leave(p)
	return n + len((*p)[:1]) // want "OCT001: .* is used after its release"
}

var crates = sync.Pool{New: func() any { return new(box.Crate) }}

// ok: Fill returns the crate.
func fill(p []byte, show func(*box.Crate)) {
	c := crates.Get().(*box.Crate).Fill(p)
	show(c)
	crates.Put(c)
}
