package oct009

import (
	"crypto/rand"
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

// bad: the kind is looked at before the packet is read.
func kindBefore(r io.Reader) (byte, error) {
	p := bytespool.New(256)
	defer bytespool.Release(p)
	kind := p[0] // want "OCT009: p .*"
	_, err := io.ReadFull(r, p)
	return kind, err
}

// ok: cleared before.
func histogramCleared(text string) byte {
	counts := bytespool.New(256)
	defer bytespool.Release(counts)
	clear(counts)
	for i := range len(text) {
		counts[text[i]]++
	}
	return counts['e']
}

// ok: it was read from somewhere.
func sumRead(r io.Reader, n int) (total int, err error) {
	p := bytespool.New(n)
	defer bytespool.Release(p)
	if _, err := io.ReadFull(r, p); err != nil {
		return 0, err
	}
	for _, c := range p {
		total += int(c)
	}
	return total, nil
}

// ok: an index that is not used checks the length.
func bounds(p []byte) {
	b := bytespool.New(len(p))
	_ = b[7]
	copy(b, p)
	bytespool.Release(b)
}

// ok: so does one that is given to a function, as tests do.
func touched(use func(byte)) {
	b := bytespool.New(64)
	use(b[0])
	bytespool.Release(b)
}

// ok: every element is written before it is read.
func table() byte {
	t := bytespool.New(256)
	defer bytespool.Release(t)
	for i := range t {
		t[i] = byte(i) ^ 0x55
	}
	return t[1]
}

var pageBoxes = sync.Pool{New: func() any { p := make([]byte, 4096); return &p }}

// bad: what the last user wrote follows what was read.
func pageEchoed(c io.ReadWriter) {
	p := pageBoxes.Get().(*[]byte)
	defer pageBoxes.Put(p)
	if _, err := c.Read(*p); err != nil {
		return
	}
	c.Write(*p) // want "OCT009: .*p.*"
}

// ok: what was read is written.
func pageEchoedRead(c io.ReadWriter) {
	p := pageBoxes.Get().(*[]byte)
	defer pageBoxes.Put(p)
	n, err := c.Read(*p)
	if err != nil {
		return
	}
	c.Write((*p)[:n])
}

// ok: it is cut in place.
func pageCut(c io.ReadWriter) {
	p := pageBoxes.Get().(*[]byte)
	b := *p
	n, _ := c.Read(b)
	b = b[:n]
	c.Write(b)
	pageBoxes.Put(p)
}

// ok: the reader of random numbers fills what it is given.
func pageRandom(w io.Writer) {
	p := pageBoxes.Get().(*[]byte)
	defer pageBoxes.Put(p)
	if _, err := rand.Reader.Read(*p); err != nil {
		return
	}
	w.Write(*p)
}

// ok: the pool's pages have a content.
func pageFilled(w io.Writer) {
	p := pageBoxes.Get().(*[]byte)
	w.Write(*p)
	pageBoxes.Put(p)
}
