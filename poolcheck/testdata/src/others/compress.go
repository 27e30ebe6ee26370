package others

import (
	"io"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/valyala/gozstd"
)

type compressed struct{ data []byte }

var packed = sync.Pool{New: func() any { return new(compressed) }}

// bad: what was compressed into a pooled slice is in that slice.
func encoded(w io.Writer, text []byte) {
	c := packed.Get().(*compressed)
	short := snappy.Encode(c.data[:cap(c.data)], text)
	packed.Put(c)
	w.Write(short) // want "OCT001: .*"
}

// bad: the same, by another package, which has the slice behind the text.
func encodedAll(w io.Writer, e *zstd.Encoder, text []byte) {
	c := packed.Get().(*compressed)
	short := e.EncodeAll(text, c.data[:0])
	packed.Put(c)
	w.Write(short) // want "OCT001: .*"
}

// bad: and with a level.
func encodedAtLevel(w io.Writer, text []byte) {
	c := packed.Get().(*compressed)
	short := gozstd.CompressLevel(c.data[:0], text, 1)
	packed.Put(c)
	w.Write(short) // want "OCT001: .*"
}

// bad: what was decompressed is returned.
func decoded(d *zstd.Decoder, data []byte) ([]byte, error) {
	c := packed.Get().(*compressed)
	defer packed.Put(c)
	text, err := d.DecodeAll(data, c.data[:0])
	return text, err // want "OCT002: .*"
}
