package oct001

import (
	"sync"

	"github.com/octet-go/octet/bytespool"
)

// A window is a growing slice of pooled bytes.
type window struct{ buf []byte }

// bad: it is stored behind its release.
func (w *window) fill(p []byte) {
	buf := bytespool.New(len(p))
	copy(buf, p)
	bytespool.Release(buf)
	w.buf = buf // want "OCT001: buf is used after its release"
}

// A section of a queue has slots, which go back before the section does not lead to
// the next one any more.
type section struct {
	slots [][]byte
	once  sync.Once
	next  *section
}

type sections struct {
	head *section
	at   int
	free sync.Pool
}
