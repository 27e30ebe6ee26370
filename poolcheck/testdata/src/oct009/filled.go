package oct009

import (
	"crypto/sha256"
	"io"

	"github.com/octet-go/octet/bytespool"
)

// ok: the text is as long as the slice.
func magic(w io.Writer) {
	b := bytespool.New(5)
	copy(b, "OCTET")
	w.Write(b)
	bytespool.Release(b)
}

// bad: the text is shorter.
func magicPadded(w io.Writer) {
	b := bytespool.New(8)
	copy(b, "OCTET")
	w.Write(b) // want "OCT009: .*b.*"
	bytespool.Release(b)
}

// ok: the array is as long as the slice.
func sumOf(w io.Writer, p []byte) {
	sum := sha256.Sum256(p)
	b := bytespool.New(32)
	copy(b, sum[:])
	w.Write(b)
	bytespool.Release(b)
}

// bad: the array fills the half of it.
func sumPadded(w io.Writer, p []byte) {
	sum := sha256.Sum256(p)
	b := bytespool.New(64)
	copy(b, sum[:])
	w.Write(b) // want "OCT009: .*b.*"
	bytespool.Release(b)
}

// ok: a key may well have the length that the slice has.
func keyed(w io.Writer, key []byte) {
	b := bytespool.New(16)
	copy(b, key)
	w.Write(b)
	bytespool.Release(b)
}

// ok: text of another length is turned down.
func tagged(w io.Writer, tag string) {
	if len(tag) != 4 {
		panic("a tag has four letters")
	}
	b := bytespool.New(4)
	copy(b, tag)
	w.Write(b)
	bytespool.Release(b)
}

// ok: reads until the slice is full.
func readAll(r io.Reader, w io.Writer) error {
	b := bytespool.New(32)
	defer bytespool.Release(b)
	for n := 0; n < len(b); {
		m, err := r.Read(b[n:])
		if err != nil {
			return err
		}
		n += m
	}
	_, err := w.Write(b)
	return err
}

func record16() []byte { return bytespool.New(16) }

// bad: the helper's slice is as long as it says.
func recordOfHelper(w io.Writer, id string) {
	b := record16()
	copy(b, id)
	w.Write(b) // want "OCT009: .*b.*"
	bytespool.Release(b)
}

// bad: New in place of Make: the text is behind 64 old bytes.
func newForMake(w io.Writer, text string) {
	b := bytespool.New(64)
	b = bytespool.AppendString(b, text)
	w.Write(b) // want "OCT009: .*b.*"
	bytespool.Release(b)
}

// ok: the slice was cut to nothing.
func cutBefore(w io.Writer, text string) {
	b := bytespool.New(64)[:0]
	b = bytespool.AppendString(b, text)
	w.Write(b)
	bytespool.Release(b)
}

// ok: what is in front was read.
func readBefore(r io.Reader, w io.Writer, text string) error {
	b := bytespool.New(64)
	if _, err := io.ReadFull(r, b); err != nil {
		bytespool.Release(b)
		return err
	}
	b = bytespool.AppendString(b, text)
	_, err := w.Write(b)
	bytespool.Release(b)
	return err
}
