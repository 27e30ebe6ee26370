package binary_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/octet-go/octet/binary"
)

// The buffer holds the bytes that a mark needs, and drops them afterwards. It does not
// grow for a length alone, and small values do not need a call of the Reader each.
func TestStreamDecoderHolds(t *testing.T) {
	r := &calls{r: bytes.NewReader(make([]byte, 1<<20+100))}
	d := binary.NewStreamDecoder[binary.Big](r)
	var m binary.Mark
	d.Mark(&m)
	for range 1 << 17 {
		d.Uint64()
	}
	if n := len(d.Since(&m)); n != 1<<20 || r.n > 20 || d.BufferCap() > 1<<22 {
		t.Errorf("since the mark there are %d bytes, after %d calls of the Reader, in a buffer of %d", n, r.n, d.BufferCap())
	}
	if d.Skip(100); d.BufferCap() > 1<<17 {
		t.Errorf("the decoder keeps %d bytes", d.BufferCap())
	}

	// A mark that a Decoder has set before holds nothing yet.
	other := binary.DecodeBE(make([]byte, 100))
	d.Reset(bytes.NewReader(make([]byte, 1<<20)))
	other.Mark(&m)
	d.Mark(&m)
	d.Skip(10_000)
	if n := len(d.Since(&m)); n != 10_000 || d.Err() != nil {
		t.Errorf("since a mark that a Decoder had set: %d bytes, %v", n, d.Err())
	}

	for name, read := range map[string]func(){
		"Bytes":       func() { d.Bytes(1 << 30) },
		"Copy":        func() { d.AppendBytes(nil, 1<<30) },
		"Skip":        func() { d.Skip(1 << 30) },
		"ReadNumbers": func() { binary.ReadNumbers(d, []uint64(nil), 1<<26) },
	} {
		n := allocated(func() {
			d.Reset(bytes.NewReader(make([]byte, 1000)))
			d.Mark(&m)
			read()
		})
		if n > 30_000 || !errors.Is(d.Err(), io.ErrUnexpectedEOF) {
			t.Errorf("%s of 1 GiB behind a mark: %d bytes allocated, %v", name, n, d.Err())
		}
	}
}

// calls counts the calls of a Reader.
type calls struct {
	r io.Reader
	n int
}

func (c *calls) Read(p []byte) (int, error) { c.n++; return c.r.Read(p) }

// Read fails where the stream breaks.
func TestStreamDecoderReadsToTheEnd(t *testing.T) {
	in := strings.Repeat("0123456789", 100)
	for _, size := range []int{16, 999, 4096} {
		d := binary.NewStreamDecoder[binary.Big](io.MultiReader(strings.NewReader(in), iotest.ErrReader(errBad)), binary.BufferSize(size))
		if p, err := io.ReadAll(d); string(p) != in || !errors.Is(err, errBad) {
			t.Errorf("of a stream that breaks: %d bytes, %v", len(p), err)
		}
	}
}
