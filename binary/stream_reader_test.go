package binary_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/octet-go/octet/binary"
)

// Decompressors and their like read exactly what is theirs, wherever the buffer ends.
func TestStreamDecoderLeavesTheRest(t *testing.T) {
	text := strings.Repeat("what others compress ", 400)
	var in bytes.Buffer
	in.WriteString("head")
	c, _ := flate.NewWriter(&in, 9)
	io.WriteString(c, text)
	c.Close()
	in.Write(binary.BE(nil).Uint32(0xcafebabe).Pad(5000))
	for reader, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "byte": iotest.OneByteReader, "half": iotest.HalfReader,
	} {
		for _, size := range []int{16, 100, 4096, 1 << 16} {
			d := binary.NewStreamDecoder[binary.Big](wrap(bytes.NewReader(in.Bytes())), binary.BufferSize(size))
			d.Skip(4)
			got, err := io.ReadAll(flate.NewReader(d))
			if rest := d.Uint32(); string(got) != text || err != nil || rest != 0xcafebabe {
				t.Errorf("from %s, buffer of %d: read %d bytes, %v, and then %#x, %v", reader, size, len(got), err, rest, d.Err())
			}
		}
	}
}

// Read calls the Reader as seldom as a bufio.Reader does.
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
	d.Begin(new(binary.Mark), 2)
	if p, err := d.Peek(3); p != nil || err != io.EOF {
		t.Errorf("beyond a span: %q, %v", p, err)
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
