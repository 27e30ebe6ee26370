package binary_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/octet-go/octet/binary"
)

type bigEncoder = binary.StreamEncoder[binary.Big]

// A StreamEncoder writes what an Appender appends, whatever the size of its buffer.
func TestStreamEncoder(t *testing.T) {
	long := strings.Repeat("long ", 20)
	var m, n binary.Mark
	want := binary.BE(nil).Uint8(1).String(long).Bytes([]byte(long)).Pad(50).
		Begin16(&m).Uint32(2).BeginVarint(&n).String(long).String(long).End(&n).Uint8(9).End(&m).
		Bytes8([]byte(long)).Bytes16([]byte(long)).Bytes24([]byte(long)).Bytes32([]byte(long)).BytesVarint([]byte(long)).
		String8(long).String16(long).String32(long).StringVarint(long).
		Begin8(&m).Uint64(3).End(&m).Begin24(&m).End(&m).Begin32(&m).Pad(100).End(&m).Int8(-1).
		String("written").Align(8, 0).Uint16(4)
	for size := range 300 {
		var out bytes.Buffer
		e := binary.NewStreamEncoder[binary.Big](&out, binary.BufferSize(size))
		e.Uint8(1).String(long).Bytes([]byte(long)).Pad(50).
			Begin16(&m).Uint32(2).BeginVarint(&n).String(long).String(long).End(&n).Uint8(9).End(&m).
			Bytes8([]byte(long)).Bytes16([]byte(long)).Bytes24([]byte(long)).Bytes32([]byte(long)).BytesVarint([]byte(long)).
			String8(long).String16(long).String32(long).StringVarint(long).
			Begin8(&m).Uint64(3).End(&m).Begin24(&m).End(&m).Begin32(&m).Pad(100).End(&m).Int8(-1)
		if n, err := io.WriteString(e, "written"); n != 7 || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
		e.Align(8, 0).Uint16(4)
		if e.Offset() != int64(len(want)) {
			t.Fatalf("size %d: offset %d, want %d", size, e.Offset(), len(want))
		}
		if buffered := len(want) - out.Len(); size > 16 && size < 100 && buffered > size {
			t.Fatalf("size %d: %d buffered", size, buffered)
		}
		if err := e.Flush(); err != nil || !bytes.Equal(out.Bytes(), want) {
			t.Fatalf("size %d: %d bytes, %v; want %d", size, out.Len(), err, len(want))
		}
	}
}

// limited takes n bytes and then returns err with a short count.
type limited struct {
	n   int
	err error
	got []byte
}

func (l *limited) Write(p []byte) (int, error) {
	k := min(l.n-len(l.got), len(p))
	l.got = append(l.got, p[:k]...)
	if k < len(p) {
		return k, l.err
	}
	return k, nil
}

func TestStreamEncoderErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(e *bigEncoder, m *binary.Mark)
		want error
		out  string
	}{
		{"too long for 8", func(e *bigEncoder, m *binary.Mark) {
			e.String("kept").Flush()
			e.String("lost").String8(strings.Repeat("x", 256))
		}, binary.ErrOverflow, "kept"},
		{"too long for 16", func(e *bigEncoder, m *binary.Mark) { e.Bytes16(make([]byte, 1<<16)) }, binary.ErrOverflow, ""},
		{"too long for 24", func(e *bigEncoder, m *binary.Mark) { e.Bytes24(make([]byte, 1<<24)) }, binary.ErrOverflow, ""},
		{"span too long", func(e *bigEncoder, m *binary.Mark) { e.Begin8(m).Pad(256).End(m).Uint8(1) }, binary.ErrOverflow, ""},
		{"in a span of another", func(e *bigEncoder, m *binary.Mark) {
			var n binary.Mark
			e.Begin8(m).Begin8(&n).Begin8(new(binary.Mark)).String8(strings.Repeat("x", 256)).End(&n).End(m)
		}, binary.ErrOverflow, ""},
	} {
		var out bytes.Buffer
		e := binary.NewStreamEncoder[binary.Big](&out)
		var m binary.Mark
		tt.do(e, &m)
		e.Uint64(1).Bytes(make([]byte, 1<<16)).String(strings.Repeat("x", 1<<16)).Pad(1 << 16)
		_, werr := e.Write([]byte("x"))
		if !errors.Is(e.Err(), tt.want) || !errors.Is(werr, tt.want) || !errors.Is(e.Flush(), tt.want) || !errors.Is(e.Close(), tt.want) || out.String() != tt.out {
			t.Errorf("%s: %v, %v; wrote %q", tt.name, e.Err(), werr, out.String())
		}
		e.Reset(&out)
		if e.String("again"); e.Flush() != nil || out.String() != tt.out+"again" {
			t.Errorf("%s: after Reset: %v, wrote %q", tt.name, e.Err(), out.String())
		}
	}

	var e2 *binary.Error
	e := binary.NewStreamEncoder[binary.Big](io.Discard, binary.BufferSize(16))
	e.Pad(40).String8(strings.Repeat("x", 256))
	if !errors.As(e.Err(), &e2) || e2.Offset != 40 || e2.Want != 256 || e2.Have != 255 {
		t.Errorf("an overflow behind 40 bytes: %v", e.Err())
	}
	e.Reset(io.Discard)
	var m binary.Mark
	e.Pad(40).Begin8(&m).Pad(256).End(&m)
	if !errors.As(e.Err(), &e2) || e2.Offset != 41 || e2.Want != 256 || e2.Have != 255 {
		t.Errorf("an overflow of a span behind 40 bytes: %v", e.Err())
	}

	for _, werr := range []error{nil, errBad} {
		want := werr
		if want == nil {
			want = io.ErrShortWrite
		}
		w := &limited{n: 20, err: werr}
		e := binary.NewStreamEncoder[binary.Big](w, binary.BufferSize(16))
		for range 100 {
			e.Uint64(1)
		}
		if !errors.Is(e.Close(), want) || e.Offset() != 20 || len(w.got) != 20 {
			t.Errorf("a writer that takes 20 bytes: %v, offset %d, %d taken", e.Err(), e.Offset(), len(w.got))
		}
	}
}

// Values that are dropped because of an error are not copied first.
func TestStreamEncoderDropsAtOnce(t *testing.T) {
	long := make([]byte, 1<<20)
	str := string(long)
	for name, encode := range map[string]func(e *bigEncoder){
		"Bytes":        func(e *bigEncoder) { e.Bytes(long) },
		"String":       func(e *bigEncoder) { e.String(str) },
		"String32":     func(e *bigEncoder) { e.String32(str) },
		"StringVarint": func(e *bigEncoder) { e.StringVarint(str) },
		"Pad":          func(e *bigEncoder) { e.Pad(1 << 20) },
		"Write":        func(e *bigEncoder) { e.Write(long) },
	} {
		for _, span := range []bool{false, true} {
			e := binary.NewStreamEncoder[binary.Big](&limited{n: 100, err: errBad})
			if span {
				e.String("longer than there is room for in that Writer").Pad(100).Flush()
				e.Begin32(new(binary.Mark))
			}
			bytesPerRun := allocated(func() { encode(e) })
			if bytesPerRun > 10_000 || e.Err() != errBad {
				t.Errorf("%s, in a span %t: %d bytes allocated, %v", name, span, bytesPerRun, e.Err())
			}
		}
	}
}

func TestStreamEncoderClose(t *testing.T) {
	var out bytes.Buffer
	e := binary.NewStreamEncoder[binary.Big](&out)
	e.String("end")
	if err := e.Close(); err != nil || out.String() != "end" {
		t.Errorf("Close: %v, wrote %q", err, out.String())
	}
	if e.Uint8(1); e.Err() == nil || e.Close() == nil || out.Len() != 3 {
		t.Error("it takes more after Close")
	}

	var m binary.Mark
	e.Reset(&out)
	e.String("all").Begin8(&m).String("lost")
	if panicked(func() { e.Flush() }) == nil {
		t.Error("Flush inside a span did not panic")
	}
	var be *binary.Error
	if err := e.Close(); !errors.As(err, &be) || be.Have != 8 || out.Len() != 3 {
		t.Errorf("Close inside a span: %v, wrote %q", err, out.String())
	}
}

// Options that are not positive have no effect, and a buffer has room for any number.
func TestStreamOptions(t *testing.T) {
	const byDefault, least = 4096, 16
	for size, want := range map[int]int{-1: byDefault, 0: byDefault, 1: least, least + 1: least + 1, 10_000: 10_000} {
		var out bytes.Buffer
		e := binary.NewStreamEncoder[binary.Big](&out, binary.BufferSize(size))
		if e.Pad(want); out.Len() != 0 {
			t.Errorf("BufferSize(%d): an encoder with room for %d bytes has written %d", size, want, out.Len())
		}
		if e.Uint8(0); out.Len() != want+1 {
			t.Errorf("BufferSize(%d): %d bytes of %d are written", size, out.Len(), want+1)
		}
		d := binary.NewStreamDecoder[binary.Big](strings.NewReader(""), binary.BufferSize(size))
		if got := d.BufferCap(); got != want {
			t.Errorf("BufferSize(%d): the decoder's buffer has %d bytes", size, got)
		}
	}
	for limit, want := range map[int64]error{-1: nil, 0: nil, 1: binary.ErrTooLong, 2: nil} {
		d := binary.NewStreamDecoder[binary.Big](strings.NewReader("ab"), binary.Limit(limit))
		if d.Skip(2); !errors.Is(d.Err(), want) {
			t.Errorf("Limit(%d): %v", limit, d.Err())
		}
	}
}

// After a large span or value, the buffer shrinks again.
func TestStreamBuffersShrink(t *testing.T) {
	e := binary.NewStreamEncoder[binary.Big](io.Discard)
	var m binary.Mark
	e.Begin32(&m).Bytes(make([]byte, 1<<20)).End(&m).Flush()
	if n := e.BufferCap(); n > 1<<17 {
		t.Errorf("the encoder keeps %d bytes", n)
	}
	e = binary.NewStreamEncoder[binary.Big](io.Discard, binary.BufferSize(100))
	for range 100 {
		e.Uint24(1).Float64(2).Uvarint(1 << 63)
	}
	if n := e.BufferCap(); n > 116 {
		t.Errorf("numbers make a buffer of 100 bytes grow to %d", n)
	}
	d := binary.NewStreamDecoder[binary.Big](bytes.NewReader(make([]byte, 1<<20+10)))
	if p := d.Bytes(1 << 20); len(p) != 1<<20 || d.BufferCap() < 1<<20 {
		t.Fatalf("Bytes: %d, %v", len(p), d.Err())
	}
	if d.Uint64(); d.Err() != nil || d.BufferCap() > 1<<17 {
		t.Errorf("the decoder keeps %d bytes, %v", d.BufferCap(), d.Err())
	}
}

// If a long value is incomplete, the error is about the whole value.
func TestStreamDecoderCut(t *testing.T) {
	for name, read := range map[string]func(d *binary.StreamDecoder[binary.Big]){
		"Bytes":       func(d *binary.StreamDecoder[binary.Big]) { d.Bytes(5000) },
		"String":      func(d *binary.StreamDecoder[binary.Big]) { _ = d.String(5000) },
		"AppendBytes": func(d *binary.StreamDecoder[binary.Big]) { d.AppendBytes(nil, 5000) },
		"Copy":        func(d *binary.StreamDecoder[binary.Big]) { d.Copy(make([]byte, 5000)) },
		"Skip":        func(d *binary.StreamDecoder[binary.Big]) { d.Skip(5000) },
	} {
		for have := range 40 {
			for _, cause := range []error{io.EOF, errBad} {
				want := binary.Error{Offset: 3, Field: "blob", Want: 5000, Have: int64(have), Err: cause}
				if cause == io.EOF && have > 0 {
					want.Err = io.ErrUnexpectedEOF
				}
				in := io.MultiReader(bytes.NewReader(make([]byte, 3+have)), iotest.ErrReader(cause))
				d := binary.NewStreamDecoder[binary.Big](in, binary.BufferSize(16))
				d.Skip(3)
				read(d.Field("blob"))
				var e *binary.Error
				offset := d.Offset()
				if !errors.As(d.Err(), &e) || *e != want || offset != 3 || d.Offset() != 3 || d.Uint8() != 0 || d.More() || d.Bytes(20) != nil || d.AppendBytes(nil, 20) != nil || d.Err() != error(e) {
					t.Fatalf("%s of %d: %v, want %v", name, have, d.Err(), &want)
				}
			}
		}
	}
}

// Each message has a limit of its own, whatever has been read ahead.
func TestStreamDecoderNext(t *testing.T) {
	var wire []byte
	for range 3000 {
		wire = binary.BE(wire).Bytes16(make([]byte, 1000))
	}
	for _, size := range []int{16, 1002, 1003, 1 << 20} { // of the buffer
		for limit, want := range map[int64]error{1002: nil, 5000: nil, math.MaxInt64: nil, 1001: binary.ErrTooLong, 1: binary.ErrTooLong, 0: binary.ErrTooLong, -1: binary.ErrTooLong} {
			for name, in := range map[string]io.Reader{"whole": bytes.NewReader(wire), "in pieces": &stutter{in: wire, size: 7}} {
				d := binary.NewStreamDecoder[binary.Big](in, binary.BufferSize(size))
				n := 0
				for d.Next(limit) {
					if d.Bytes16(); d.Err() == nil {
						n++
					}
				}
				if err := d.Err(); !errors.Is(err, want) || (err == nil) != (want == nil) || (n == 3000) != (want == nil) || n != 0 && want != nil {
					t.Errorf("buffer %d, limit %d, %s: %d messages, %v, want %v", size, limit, name, n, err, want)
				}
			}
		}
	}
}

// A decoder takes no more than the limit from its Reader. FuzzDecoder knows what fails at the limit
// of a message; that of the whole stream also stays in force behind a message.
func TestStreamDecoderLimit(t *testing.T) {
	for name, in := range map[string]*stutter{"at once": {in: make([]byte, 100), size: 100, n: 99}, "in turn": {in: make([]byte, 100), size: 5}} {
		d := binary.NewStreamDecoder[binary.Big](in, binary.Limit(10))
		if d.Skip(10); d.Err() != nil || len(in.in) != 90 {
			t.Errorf("%s, took %d bytes, %v", name, 100-len(in.in), d.Err())
		}
		d.Reset(in)
		var e *binary.Error
		if d.Next(4); !d.Next(6) || d.Uint64() != 0 || !errors.As(d.Err(), &e) || *e != (binary.Error{Want: 8, Have: 6, Err: binary.ErrTooLong}) {
			t.Errorf("%s, a message: %v", name, d.Err())
		}
		d.Reset(in)
		if d.Next(12); d.Bytes(11) != nil || !errors.As(d.Err(), &e) || *e != (binary.Error{Want: 11, Have: 10, Err: binary.ErrTooLong}) {
			t.Errorf("%s, beyond the whole limit: %v", name, d.Err())
		}
	}
	d := binary.NewStreamDecoder[binary.Big](io.MultiReader(bytes.NewReader(make([]byte, 10)), iotest.ErrReader(errBad)), binary.Limit(10))
	if d.Skip(10); d.More() || !errors.Is(d.Err(), errBad) {
		t.Errorf("at the limit and an error: %v", d.Err())
	}
}

// After Reset the limit counts from the beginning again, and that of a message is gone.
func TestStreamDecoderReset(t *testing.T) {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("abcdef"), binary.Limit(4))
	for range 3 {
		d.Next(3)
		var m binary.Mark
		d.Begin(&m, 3)
		d.Field("x").Uint64()
		if d.Err() == nil {
			t.Fatal("8 bytes of 3")
		}
		d.Reset(strings.NewReader("abcdef"))
		if s := d.String(4); s != "abcd" || d.Offset() != 4 || d.Len() != -1 {
			t.Fatalf("after Reset: %q, %v", s, d.Err())
		}
		if d.Uint8(); !errors.Is(d.Err(), binary.ErrTooLong) {
			t.Fatalf("after Reset, beyond the limit: %v", d.Err())
		}
	}
}

func TestStreamDecoderFails(t *testing.T) {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("abc"))
	d.Uint8()
	d.Field("version").Fail(errBad)
	var e *binary.Error
	if !errors.As(d.Err(), &e) || *e != (binary.Error{Offset: 1, Field: "version", Err: errBad}) || d.Uint8() != 0 {
		t.Errorf("Fail: %v", d.Err())
	}

	d.Reset(noProgress{})
	if d.Uint8(); !errors.Is(d.Err(), io.ErrNoProgress) {
		t.Errorf("a Reader that returns nothing: %v", d.Err())
	}
	for _, n := range []int{-1, math.MaxInt} {
		for name, read := range map[string]func(){
			"Uint8": func() { d.Uint8() },
			"More":  func() { d.More() },
			"Copy":  func() { d.Copy(make([]byte, 10_000)) },
			"Skip":  func() { d.Skip(10_000) },
		} {
			d.Reset(lying{n})
			read()
			if d.Err() == nil || !strings.HasSuffix(d.Err().Error(), ": the io.Reader returned an impossible count") || d.Offset() != 0 {
				t.Errorf("%s from a Reader that returns %d: %v", name, n, d.Err())
			}
		}
		e := binary.NewStreamEncoder[binary.Big](lying{n})
		const want = "binary: the Writer returned an impossible count"
		if err := e.Uint8(1).Flush(); err == nil || err.Error() != want || e.Err() != err || e.Offset() != 0 {
			t.Errorf("to a Writer that returns %d: %v", n, err)
		}
	}
}

type noProgress struct{}

func (noProgress) Read([]byte) (int, error) { return 0, nil }

type lying struct{ n int }

func (l lying) Read([]byte) (int, error)  { return l.n, nil }
func (l lying) Write([]byte) (int, error) { return l.n, nil }

// The zero value works after Reset.
func TestStreamZero(t *testing.T) {
	var out bytes.Buffer
	var e binary.StreamEncoder[binary.Little]
	e.Reset(&out)
	e.Uint16(1)
	if err := e.Flush(); err != nil || out.String() != "\x01\x00" {
		t.Errorf("encoder: %q, %v", out.String(), err)
	}
	var d binary.StreamDecoder[binary.Little]
	d.Reset(&out)
	if d.Uint16() != 1 || d.Done() != nil {
		t.Errorf("decoder: %v", d.Err())
	}
}
