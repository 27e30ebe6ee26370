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
