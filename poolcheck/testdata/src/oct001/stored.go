package oct001

import "github.com/octet-go/octet/bytespool"

// A window is a growing slice of pooled bytes.
type window struct{ buf []byte }

// bad: where the content only moved to the front, the array that went back stays in use.
func (w *window) grow(n int) {
	buf := w.buf
	if n <= cap(w.buf)/2 {
		copy(w.buf, w.buf[n:])
	} else {
		buf = bytespool.Get(2*cap(w.buf) + n)
		copy(buf, w.buf)
	}
	bytespool.Release(w.buf)
	w.buf = buf // want "OCT001: w.buf is used after its release"
}

// ok: it goes back where there is another.
func (w *window) growRight(n int) {
	if n <= cap(w.buf)/2 {
		copy(w.buf, w.buf[n:])
		return
	}
	buf := bytespool.Get(2*cap(w.buf) + n)
	copy(buf, w.buf)
	bytespool.Release(w.buf)
	w.buf = buf
}

// bad: it is stored behind its release.
func (w *window) fill(p []byte) {
	buf := bytespool.Get(len(p))
	copy(buf, p)
	bytespool.Release(buf)
	w.buf = buf // want "OCT001: buf is used after its release"
}

// ok: and something else right after that.
func (w *window) refill(p []byte) {
	buf := bytespool.Get(len(p))
	copy(buf, p)
	bytespool.Release(buf)
	w.buf = buf
	w.buf = nil
}
