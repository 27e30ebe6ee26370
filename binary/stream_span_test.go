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

// Since returns all bytes read since a mark, whichever methods read them, even if they
// exceed the size of the buffer and marks overlap.
func TestStreamDecoderSince(t *testing.T) {
	in := make([]byte, 3000)
	for i := range in {
		in[i] = byte(i * 7 >> 2)
	}
	for name, read := range map[string]func(d *bigDecoder, n int){
		"Bytes":       func(d *bigDecoder, n int) { d.Bytes(n) },
		"String":      func(d *bigDecoder, n int) { _ = d.String(n) },
		"AppendBytes": func(d *bigDecoder, n int) { d.AppendBytes(nil, n) },
		"Copy":        func(d *bigDecoder, n int) { d.Copy(make([]byte, n)) },
		"Skip":        func(d *bigDecoder, n int) { d.Skip(n) },
		"Read":        func(d *bigDecoder, n int) { io.ReadFull(d, make([]byte, n)) },
		"ReadNumbers": func(d *bigDecoder, n int) { binary.ReadNumbers(d, []uint8(nil), n) },
		"Uint8": func(d *bigDecoder, n int) {
			for range n {
				d.Uint8()
			}
		},
		"a span": func(d *bigDecoder, n int) {
			var m binary.Mark
			d.Begin(&m, n)
			d.Bytes(d.Len())
			d.End(&m)
		},
		"marks": func(d *bigDecoder, n int) {
			var m binary.Mark
			d.Mark(&m)
			d.Skip(n)
			d.Since(&m)
		},
	} {
		for _, size := range []int{16, 100, 4096} {
			var first, second, third binary.Mark
			d := binary.NewStreamDecoder[binary.Big](iotest.HalfReader(bytes.NewReader(in)), binary.BufferSize(size))
			read(d, 100)
			d.Mark(&first)
			read(d, 200)
			d.Mark(&second)
			read(d, 300)
			if got := d.Since(&first); !bytes.Equal(got, in[100:600]) || cap(got) != len(got) {
				t.Errorf("%s, buffer of %d: the first mark has %d bytes, cap %d", name, size, len(got), cap(got))
			}
			d.Mark(&third)
			read(d, 400)
			if got := d.Since(&second); !bytes.Equal(got, in[300:1000]) {
				t.Errorf("%s, buffer of %d: the second mark has %d bytes", name, size, len(got))
			}
			if got := d.Since(&third); !bytes.Equal(got, in[600:1000]) {
				t.Errorf("%s, buffer of %d: the third mark has %d bytes", name, size, len(got))
			}
			read(d, 2000)
			if d.Done() != nil {
				t.Errorf("%s, buffer of %d: %v", name, size, d.Done())
			}
		}
	}
}

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

	// Setting a mark again releases what it held.
	d.Reset(bytes.NewReader(make([]byte, 1<<20)))
	for range 1 << 10 {
		d.Mark(&m)
		d.Skip(1 << 10)
	}
	if d.BufferCap() > 1<<17 {
		t.Errorf("a mark that moves holds %d bytes", d.BufferCap())
	}

	// So does setting it for something else, whatever Plus says.
	for name, set := range map[string]func(){
		"Begin8": func() { d.Begin8(&m); d.End(&m) },
		"Begin":  func() { d.Begin(&m, 0); d.End(&m) },
		"Plus":   func() { d.Begin8(m.Plus(0)); d.End(&m) },
	} {
		d.Reset(bytes.NewReader(make([]byte, 1<<20)))
		for range 1 << 10 {
			d.Mark(&m)
			d.Skip(1 << 9)
			set()
		}
		if d.BufferCap() > 1<<17 || d.Err() != nil {
			t.Errorf("a mark that %s uses again holds %d bytes, %v", name, d.BufferCap(), d.Err())
		}
	}

	// Of marks that overlap for ever, only those that are set hold something.
	d.Reset(bytes.NewReader(make([]byte, 1<<20)))
	var marks [8]binary.Mark
	for i := range 1 << 10 {
		oldest := &marks[i%len(marks)]
		if i >= len(marks) {
			if n := len(d.Since(oldest)); n != len(marks)<<9 {
				t.Fatalf("since the oldest mark in round %d: %d bytes", i, n)
			}
		}
		d.Mark(oldest)
		d.Skip(1 << 9)
	}
	if d.BufferCap() > 1<<17 || d.Err() != nil {
		t.Errorf("marks that overlap hold %d bytes, %v", d.BufferCap(), d.Err())
	}

	// A mark that something else has set before holds nothing yet.
	other := binary.DecodeBE(make([]byte, 100))
	for name, set := range map[string]func(){
		"Decoder.Mark": func() { other.Mark(&m) },
		"Begin":        func() { d.Begin(&m, 1<<19) },
	} {
		d.Reset(bytes.NewReader(make([]byte, 1<<20)))
		set()
		d.Mark(&m)
		d.Skip(10_000)
		if n := len(d.Since(&m)); n != 10_000 || d.Err() != nil {
			t.Errorf("since a mark that %s had set: %d bytes, %v", name, n, d.Err())
		}
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

// Read returns everything up to the end of the span or the stream. It fails if the span
// is cut, or the stream exceeds the limit.
func TestStreamDecoderReadsToTheEnd(t *testing.T) {
	in := strings.Repeat("0123456789", 100)
	for _, size := range []int{16, 999, 4096} {
		d := binary.NewStreamDecoder[binary.Big](iotest.HalfReader(strings.NewReader(in)), binary.BufferSize(size))
		var m binary.Mark
		d.Begin(&m, 500)
		d.Skip(5)
		if p, err := io.ReadAll(d); string(p) != in[5:500] || err != nil {
			t.Errorf("of a span: %d bytes, %v", len(p), err)
		}
		d.End(&m)
		if p, err := io.ReadAll(d); string(p) != in[500:] || err != nil || d.Done() != nil {
			t.Errorf("of the stream: %d bytes, %v, %v", len(p), err, d.Done())
		}
		if p, err := io.ReadAll(d); len(p) != 0 || err != nil || d.Err() != nil {
			t.Errorf("at the end: %q, %v", p, err)
		}
		cut := binary.NewStreamDecoder[binary.Big](strings.NewReader(in), binary.BufferSize(size))
		cut.Begin(&m, 1001)
		cut.Skip(1)
		var e *binary.Error
		if p, err := io.ReadAll(cut); len(p) != 999 || err != cut.Err() || !errors.As(err, &e) || *e != (binary.Error{Offset: 1000, Want: 1, Err: io.ErrUnexpectedEOF}) {
			t.Errorf("of a span that is cut: %d bytes, %v", len(p), err)
		}
		d.Uint8()
		if p, err := io.ReadAll(d); len(p) != 0 || err == nil || err != d.Err() {
			t.Errorf("after a failure: %q, %v", p, err)
		}

		for limit, want := range map[int64]error{999: binary.ErrTooLong, 1000: nil, 1001: nil} {
			d := binary.NewStreamDecoder[binary.Big](strings.NewReader(in), binary.BufferSize(size), binary.Limit(limit))
			if p, err := io.ReadAll(d); !errors.Is(err, want) || string(p) != in[:min(limit, 1000)] {
				t.Errorf("with a limit of %d: %d bytes, %v", limit, len(p), err)
			}
		}
		d = binary.NewStreamDecoder[binary.Big](io.MultiReader(strings.NewReader(in), iotest.ErrReader(errBad)), binary.BufferSize(size))
		if p, err := io.ReadAll(d); string(p) != in || !errors.Is(err, errBad) {
			t.Errorf("of a stream that breaks: %d bytes, %v", len(p), err)
		}
	}
}
