// Package arena has an arena, whose strings outlive its Put, in a package of its own: no test asks for its older strings,
// so that none fails where they are overwritten, which shows nothing.
package arena

import (
	"fmt"
	"sync"
	"testing"
	"unsafe"
)

type arena struct{ buf []byte }

func (a *arena) add(s string) string {
	if cap(a.buf)-len(a.buf) < len(s) {
		a.buf = make([]byte, 0, 256)
	}
	a.buf = append(a.buf, s...)
	b := a.buf[len(a.buf)-len(s):]
	return unsafe.String(&b[0], len(b))
}

func TestNewest(t *testing.T) {
	arenas := sync.Pool{New: func() any { return new(arena) }}
	newest := ""
	for i := range 3 {
		a := arenas.Get().(*arena)
		newest = a.add(fmt.Sprintf("name %d", i))
		arenas.Put(a)
	}
	if newest != "name 2" {
		t.Errorf("the newest name is %q", newest)
	}
}
