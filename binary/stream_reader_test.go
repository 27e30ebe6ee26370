package binary_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/lzw"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"image/color/palette"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/octet-go/octet/binary"
)

// A format is what others write and then read from a StreamDecoder.
type format struct {
	write func(w io.Writer) error
	read  func(d *bigDecoder) (string, error)
}

var text = strings.Repeat("what others compress ", 400)

// compressed returns the format of a compressor and its decompressor.
func compressed(compress func(w io.Writer) io.WriteCloser, decompress func(d *bigDecoder) (io.Reader, error)) format {
	return format{
		func(w io.Writer) error {
			c := compress(w)
			if _, err := io.WriteString(c, text); err != nil {
				return err
			}
			return c.Close()
		},
		func(d *bigDecoder) (string, error) {
			r, err := decompress(d)
			if err != nil {
				return "", err
			}
			got, err := io.ReadAll(r)
			if string(got) != text {
				return "something else", err
			}
			return "", err
		},
	}
}

var gray = image.NewPaletted(image.Rect(0, 0, 90, 70), palette.Plan9)

func bounds(m image.Image, err error) (string, error) {
	if err != nil || m.Bounds() != gray.Bounds() {
		return "another image", err
	}
	return "", nil
}

var formats = map[string]format{
	"flate": compressed(
		func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 9); return f },
		func(d *bigDecoder) (io.Reader, error) { return flate.NewReader(d), nil }),
	"gzip": compressed(
		func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		func(d *bigDecoder) (io.Reader, error) {
			z, err := gzip.NewReader(d)
			if err == nil {
				z.Multistream(false)
			}
			return z, err
		}),
	"zlib": compressed(
		func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		func(d *bigDecoder) (io.Reader, error) { return zlib.NewReader(d) }),
	"lzw": compressed(
		func(w io.Writer) io.WriteCloser { return lzw.NewWriter(w, lzw.MSB, 8) },
		func(d *bigDecoder) (io.Reader, error) { return lzw.NewReader(d, lzw.MSB, 8), nil }),
	"image/png": {
		func(w io.Writer) error { return png.Encode(w, gray) },
		func(d *bigDecoder) (string, error) { return bounds(png.Decode(d)) },
	},
}

// Decompressors and their like read exactly what is theirs, wherever the buffer ends.
func TestStreamDecoderLeavesTheRest(t *testing.T) {
	for name, f := range formats {
		var in bytes.Buffer
		in.WriteString("head")
		if err := f.write(&in); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		in.Write(binary.BE(nil).Uint32(0xcafebabe).Pad(5000))
		for reader, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "byte": iotest.OneByteReader, "half": iotest.HalfReader,
		} {
			for _, size := range []int{16, 100, 4096, 1 << 16} {
				d := binary.NewStreamDecoder[binary.Big](wrap(bytes.NewReader(in.Bytes())), binary.BufferSize(size))
				d.Skip(4)
				wrong, err := f.read(d)
				if got := d.Uint32(); wrong != "" || err != nil || got != 0xcafebabe {
					t.Errorf("%s from %s, buffer of %d: read %s, %v, and then %#x, %v", name, reader, size, wrong, err, got, d.Err())
				}
			}
		}
	}
}

// ReadByte stops at the end of a span, of the stream and at a limit.
func TestStreamDecoderReadByte(t *testing.T) {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("abcdef"), binary.BufferSize(16), binary.Limit(5))
	var m binary.Mark
	d.Begin(&m, 2)
	for _, want := range "ab" {
		if c, err := d.ReadByte(); rune(c) != want || err != nil {
			t.Errorf("%q, %v; want %q", c, err, want)
		}
	}
	if c, err := d.ReadByte(); c != 0 || err != io.EOF || d.Err() != nil {
		t.Errorf("at the end of a span: %q, %v, %v", c, err, d.Err())
	}
	d.End(&m)
	d.Skip(3)
	if _, err := d.ReadByte(); !errors.Is(err, binary.ErrTooLong) || d.Err() != err {
		t.Errorf("at the limit: %v, %v", err, d.Err())
	}
	d.Reset(strings.NewReader("a"))
	d.ReadByte()
	if _, err := d.ReadByte(); err != io.EOF || d.Err() != nil {
		t.Errorf("at the end of the stream: %v, %v", err, d.Err())
	}
}

// Read calls the Reader as seldom as a bufio.Reader does, and not beyond a limit or what
// a mark holds.
func TestStreamDecoderReadBypassesBuffer(t *testing.T) {
	const size, piece = 4 << 20, 32 << 10
	count := func(wrap func(r io.Reader) io.Reader) int {
		r := &calls{r: bytes.NewReader(make([]byte, size))}
		in, n := wrap(r), 0
		for p := make([]byte, piece); ; {
			k, err := in.Read(p)
			if n += k; err != nil {
				break
			}
		}
		if n != size {
			t.Errorf("read %d bytes", n)
		}
		return r.n
	}
	std := count(func(r io.Reader) io.Reader { return bufio.NewReader(r) })
	ours := count(func(r io.Reader) io.Reader { return binary.NewStreamDecoder[binary.Big](r) })
	if ours > std {
		t.Errorf("%d calls of the Reader, bufio makes %d", ours, std)
	}

	in := bytes.Repeat([]byte("0123456789"), 10)
	for name, open := range map[string]func(d *bigDecoder, m *binary.Mark){
		"a span": func(d *bigDecoder, m *binary.Mark) { d.Begin(m, 50) },
		"a limit": func(d *bigDecoder, m *binary.Mark) {
			*d = *binary.NewStreamDecoder[binary.Big](bytes.NewReader(in), binary.BufferSize(16), binary.Limit(50))
		},
		"a mark": func(d *bigDecoder, m *binary.Mark) { d.Mark(m) },
	} {
		var m binary.Mark
		d := binary.NewStreamDecoder[binary.Big](bytes.NewReader(in), binary.BufferSize(16))
		open(d, &m)
		var got []byte
		for p := make([]byte, 20); len(got) < 50; {
			n, err := d.Read(p)
			if got = append(got, p[:n]...); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !bytes.HasPrefix(in, got) || name != "a mark" && len(got) != 50 {
			t.Errorf("%s: %q", name, got)
		}
		if name == "a mark" && !bytes.Equal(d.Since(&m), got) {
			t.Error("a mark does not have what Read read")
		}
	}
}

// Peeking further and further calls the Reader seldom.
func TestStreamDecoderPeeksFurther(t *testing.T) {
	r := &calls{r: bytes.NewReader(make([]byte, 1<<20))}
	d := binary.NewStreamDecoder[binary.Big](r)
	for n := 1; n <= 50_000; n++ {
		if p, err := d.Peek(n); len(p) != n || err != nil {
			t.Fatalf("%d bytes of %d, %v", len(p), n, err)
		}
	}
	if r.n > 10 {
		t.Errorf("%d calls of the Reader", r.n)
	}
}

func TestStreamDecoderPeekErrors(t *testing.T) {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("abc"))
	for n, want := range map[int]error{0: nil, 3: nil, 4: io.EOF, -1: binary.ErrOverflow} {
		if p, err := d.Peek(n); err != want || err == nil && string(p) != "abc"[:n] || err != nil && p != nil {
			t.Errorf("%d bytes: %q, %v", n, p, err)
		}
	}
	d.Uint32()
	if p, err := d.Peek(0); p != nil || err == nil || err != d.Err() {
		t.Errorf("after a failure: %q, %v", p, err)
	}
}

// A deadline passes before every byte: the Reader returns an error, and then goes on.
type deadlines struct {
	r      io.Reader
	passed bool
}

func (d *deadlines) Read(p []byte) (int, error) {
	if d.passed = !d.passed; d.passed {
		return 0, os.ErrDeadlineExceeded
	}
	return d.r.Read(p[:1])
}

// After an error of the Reader, the decoder goes on where it was.
func TestStreamDecoderResumes(t *testing.T) {
	var span, covered binary.Mark
	in := binary.BE(nil).Uint32(0x01020304).Uvarint(1 << 40).Begin16(&span).String("content").End(&span).
		String(long).Uint32(0xfeedface).String("end")
	d := binary.NewStreamDecoder[binary.Big](&deadlines{r: bytes.NewReader(in)}, binary.BufferSize(16))
	tries := 0
	try := func(read func()) {
		t.Helper()
		at := d.Offset()
		for read(); d.Err() != nil; read() {
			if tries++; tries > 10_000 || !errors.Is(d.Err(), os.ErrDeadlineExceeded) || d.Offset() != at || d.Resume() != nil || d.Offset() != at {
				t.Fatalf("at offset %d, now %d: %v", at, d.Offset(), d.Err())
			}
		}
	}
	var got []string
	add := func(v any) { got = append(got, fmt.Sprint(v)) }
	var n uint32
	var v uint64
	var s string
	try(func() { n = d.Field("number").Uint32() })
	add(n)
	try(func() { v = d.Uvarint() })
	add(v)
	try(func() { d.Begin16(&span) })
	for more := true; more; {
		try(func() { more = d.More() })
		if more {
			add(d.String(1))
		}
	}
	d.End(&span)
	d.Mark(&covered)
	try(func() { s = d.String(len(long)) })
	for {
		if p, err := d.Peek(4); p != nil {
			break
		} else if tries++; tries > 10_000 || err != os.ErrDeadlineExceeded || d.Err() != nil {
			t.Fatalf("Peek: %v, %v", err, d.Err())
		}
	}
	if got := d.Since(&covered); string(got) != long {
		t.Errorf("since the mark: %q", got)
	}
	try(func() { d.Skip(7) })
	want := "[16909060 1099511627776 c o n t e n t]"
	if fmt.Sprint(got) != want || s != long || d.Err() != nil || tries < 20 {
		t.Errorf("%v, %q, %v after %d tries; want %s", got, s, d.Err(), tries, want)
	}
	if d.Uint8(); d.Err() == nil || d.Resume() != nil {
		t.Errorf("at the end: %v", d.Err())
	}

	// Other failures stay, and so does that of a read that has consumed something.
	for name, read := range map[string]func(d *bigDecoder){
		"Fail":        func(d *bigDecoder) { d.Fail(errBad) },
		"a negative":  func(d *bigDecoder) { d.Bytes(-1) },
		"a limit":     func(d *bigDecoder) { d.Uint8(); d.Bytes(5000) },
		"a span":      func(d *bigDecoder) { d.Begin(new(binary.Mark), 2); d.Uint32() },
		"Copy":        func(d *bigDecoder) { d.Copy(make([]byte, 100)) },
		"AppendBytes": func(d *bigDecoder) { d.AppendBytes(nil, 100) },
		"Skip":        func(d *bigDecoder) { d.Skip(100) },
	} {
		in := io.MultiReader(strings.NewReader(long[:50]), iotest.ErrReader(errBad))
		d := binary.NewStreamDecoder[binary.Big](in, binary.BufferSize(16), binary.Limit(1000))
		read(d)
		err := d.Err()
		if err == nil || d.Resume() != err || d.Err() != err || d.Uint8() != 0 {
			t.Errorf("%s: %v, and after Resume %v", name, err, d.Err())
		}
	}
}
