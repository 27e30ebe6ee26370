package oct001

import (
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
