package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
)

// A frame is a message whose length counts more or less than its content.
type frame struct {
	name  string
	plus  int
	begin map[string]any // Begin methods by the name of the type
	size  int            // of the length
}

func frames() []frame {
	type (
		app = func(binary.BE, *binary.Mark) binary.BE
		enc = func(*bigEncoder, *binary.Mark) *bigEncoder
		dec = func(*binary.BEDecoder, *binary.Mark)
		str = func(*bigDecoder, *binary.Mark)
	)
	methods := func(a app, e enc, d dec, s str) map[string]any {
		return map[string]any{"Appender": a, "StreamEncoder": e, "Decoder": d, "StreamDecoder": s}
	}
	b8 := methods(binary.BE.Begin8, (*bigEncoder).Begin8, (*binary.BEDecoder).Begin8, (*bigDecoder).Begin8)
	b16 := methods(binary.BE.Begin16, (*bigEncoder).Begin16, (*binary.BEDecoder).Begin16, (*bigDecoder).Begin16)
	b24 := methods(binary.BE.Begin24, (*bigEncoder).Begin24, (*binary.BEDecoder).Begin24, (*bigDecoder).Begin24)
	b32 := methods(binary.BE.Begin32, (*bigEncoder).Begin32, (*binary.BEDecoder).Begin32, (*bigDecoder).Begin32)
	bv := methods(binary.BE.BeginVarint, (*bigEncoder).BeginVarint, (*binary.BEDecoder).BeginVarint, (*bigDecoder).BeginVarint)
	return []frame{
		{"Postgres", 4, b32, 4}, {"netlink attribute", 2, b16, 2}, {"Mach-O", 8, b32, 4},
		{"pcapng", 12, b32, 4}, {"PNG", -4, b32, 4}, {"Bitcoin", -4, b32, 4},
		{"8", 3, b8, 1}, {"24", -3, b24, 3}, {"varint", 5, bv, 1},
	}
}

// A length that counts more or less than the content is written and read by all four
// types, and one that does not fit is an error.
func TestLengthsPlus(t *testing.T) {
	for _, f := range frames() {
		appendFrame := func(content []byte) (b []byte, err error) {
			defer func() {
				if e := recover(); e != nil {
					err = e.(error)
				}
			}()
			var m binary.Mark
			b = f.begin["Appender"].(func(binary.BE, *binary.Mark) binary.BE)(binary.BE("head"), m.Plus(f.plus)).Bytes(content).End(&m)
			return b, nil
		}
		for _, n := range []int{0, 3, 4, 100, 251, 252, 253, 256} {
			content := bytes.Repeat([]byte{7}, n)
			length := n + f.plus
			var want []byte
			if f.name == "varint" {
				want = stdbinary.AppendUvarint([]byte("head"), uint64(length))
			} else {
				want = append([]byte("head"), stdbinary.BigEndian.AppendUint64(nil, uint64(length))[8-f.size:]...)
			}
			want = append(want, content...)
			fits := length >= 0 && (f.size > 1 || length < 256 || f.name == "varint")

			b, err := appendFrame(content)
			var out bytes.Buffer
			var m binary.Mark
			e := binary.NewStreamEncoder[binary.Big](&out, binary.BufferSize(16)).String("head")
			f.begin["StreamEncoder"].(func(*bigEncoder, *binary.Mark) *bigEncoder)(e, m.Plus(f.plus)).Bytes(content).End(&m)
			streamErr := e.Close()
			if !fits {
				var x, y *binary.Error
				if !errors.As(err, &x) || !errors.As(streamErr, &y) || *x != *y || !errors.Is(x, binary.ErrOverflow) || x.Want != int64(length) {
					t.Errorf("%s, %d bytes: %v, %v", f.name, n, err, streamErr)
				}
				continue
			}
			if err != nil || streamErr != nil || !bytes.Equal(b, want) || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s, %d bytes: % x, %v\n% x, %v\nwant % x", f.name, n, b, err, out.Bytes(), streamErr, want)
			}

			d := binary.DecodeBE(want)
			d.Skip(4)
			f.begin["Decoder"].(func(*binary.BEDecoder, *binary.Mark))(&d, m.Plus(f.plus))
			got := d.Bytes(d.Len())
			d.End(&m)
			s := binary.NewStreamDecoder[binary.Big](&stutter{in: want, size: 3}, binary.BufferSize(16))
			var k binary.Mark
			s.Skip(4)
			f.begin["StreamDecoder"].(func(*bigDecoder, *binary.Mark))(s, k.Plus(f.plus))
			streamed := bytes.Clone(s.Bytes(s.Len()))
			s.End(&k)
			if !bytes.Equal(got, content) || !bytes.Equal(streamed, content) || d.Done() != nil || s.Done() != nil {
				t.Errorf("%s, %d bytes: %x, %v; %x, %v", f.name, n, got, d.Done(), streamed, s.Done())
			}
		}
	}
}

// A length less than what it counts besides the content, and one that no content can
// have, fail in both decoders alike.
func TestLengthsPlusHostile(t *testing.T) {
	for _, tt := range []struct {
		in   string
		plus int
		want binary.Error
	}{
		{"\x00\x00\x00\x03content", 4, binary.Error{Offset: 4, Want: -1, Err: binary.ErrOverflow}},
		{"\x00\x00\x00\x00content", math.MaxInt32, binary.Error{Offset: 4, Want: -math.MaxInt32, Err: binary.ErrOverflow}},
		{"\x00\x00\x00\x07content", -1, binary.Error{Offset: 4, Want: 8, Have: 7, Err: io.ErrUnexpectedEOF}},
		{"\xff\xff\xff\xffcontent", -4, binary.Error{Offset: 4, Want: 1<<32 + 3, Have: 7, Err: io.ErrUnexpectedEOF}},
		{"\x00\x00\x00\x04", 4, binary.Error{}},
		{"\x00\x00\x00\x05", 4, binary.Error{Offset: 4, Want: 1, Err: io.ErrUnexpectedEOF}},
	} {
		var m, outer binary.Mark
		d := binary.DecodeBE([]byte(tt.in))
		d.Begin32(m.Plus(tt.plus))
		s := binary.NewStreamDecoder[binary.Big](strings.NewReader(tt.in))
		s.Begin(&outer, len(tt.in))
		s.Begin32(m.Plus(tt.plus))
		for who, err := range map[string]error{"Decoder": d.Err(), "StreamDecoder": s.Err()} {
			var e *binary.Error
			if tt.want.Err == nil && err != nil || tt.want.Err != nil && (!errors.As(err, &e) || *e != tt.want) {
				t.Errorf("%s, %q plus %d: %v, want %v", who, tt.in, tt.plus, err, &tt.want)
			}
		}
	}
	// 2^64-1 and 2^63, which are not -1 and the least int64.
	for _, n := range []uint64{math.MaxUint64, 1 << 63} {
		for _, plus := range []int{0, 4, -4, math.MaxInt, math.MinInt} {
			in := binary.BE(nil).Uvarint(n).String("content")
			var m binary.Mark
			d := binary.DecodeBE(in)
			d.BeginVarint(m.Plus(plus))
			s := binary.NewStreamDecoder[binary.Big](bytes.NewReader(in))
			s.BeginVarint(m.Plus(plus))
			want := "binary: at offset 10: overflow"
			if fmt.Sprint(d.Err()) != want || fmt.Sprint(s.Err()) != want {
				t.Errorf("%#x plus %d: %v, %v", n, plus, d.Err(), s.Err())
			}
		}
	}
}

// Plus counts for one span only.
func TestPlusIsForOneSpan(t *testing.T) {
	var m binary.Mark
	b := binary.BE(nil).Begin8(m.Plus(1)).End(&m).Begin8(&m).End(&m)
	m.Plus(1)
	if e := panicked(func() { b.End(&m) }); e != "binary: End of a mark that is not set" {
		t.Errorf("End of a mark that only Plus set: %v", e)
	}
	b = b.Begin8(m.Plus(5))
	b = b.Begin8(&m).End(&m) // without the End of before
	if string(b) != "\x01\x00\x00\x00" {
		t.Errorf("% x", b)
	}
	d := binary.DecodeBE([]byte{1, 0})
	d.Begin8(m.Plus(1))
	d.End(&m)
	if d.Begin8(&m); d.Err() != nil {
		t.Error(d.Err())
	}
}

// Lengths of 64 bits are checked, on machines of 32 bits too.
func TestLen64(t *testing.T) {
	for n, want := range map[uint64]error{3: nil, 4: io.ErrUnexpectedEOF, 1<<32 + 3: io.ErrUnexpectedEOF, 1 << 63: binary.ErrOverflow, math.MaxUint64: binary.ErrOverflow} {
		in := binary.LE(nil).Uint64(n).String("abc")
		for name, read := range map[string]func(r reads) string{
			"Bytes":  func(r reads) string { return string(r.Bytes(r.Len64())) },
			"String": func(r reads) string { return r.String(r.Len64()) },
			"Begin": func(r reads) string {
				var m binary.Mark
				r.Begin(&m, r.Len64())
				return string(r.rest())
			},
		} {
			d := binary.DecodeLE(in)
			s := binary.NewStreamDecoder[binary.Little](bytes.NewReader(in), binary.Limit(int64(len(in))))
			got, streamed := read(sliceReads[binary.Little]{&d}), read(streamReads[binary.Little]{s})
			wantStream := want
			if want == io.ErrUnexpectedEOF {
				wantStream = binary.ErrTooLong
			}
			if want == nil && (got != "abc" || streamed != "abc") || !errors.Is(d.Err(), want) || !errors.Is(s.Err(), wantStream) {
				t.Errorf("%s of %d: %q, %v; %q, %v", name, n, got, d.Err(), streamed, s.Err())
			}
		}
	}
}

// A number of 64 bits that is no length, where int has 64 bits too, fails and allocates
// nothing, whether it becomes negative or is more than there is.
func TestCountsOf64Bits(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("int(uint64) drops the high half: Len64 is for that")
	}
	for _, n := range []uint64{4, 1 << 32, 1<<62 + 1, math.MaxInt64 - 8, math.MaxInt64, 1 << 63, 1<<63 + 5, math.MaxUint64 - 8, math.MaxUint64} {
		in := binary.LE(nil).Uint64(n).String("abc")
		for name, read := range map[string]func(r reads, n int) int{
			"Bytes":       func(r reads, n int) int { return len(r.Bytes(n)) },
			"String":      func(r reads, n int) int { return len(r.String(n)) },
			"AppendBytes": func(r reads, n int) int { return len(r.AppendBytes(nil, n)) },
			"Skip":        func(r reads, n int) int { r.Skip(n); return 0 },
			"Peek":        func(r reads, n int) int { return len(r.Peek(n)) + len(r.Bytes(n)) },
			"Begin":       func(r reads, n int) int { r.Begin(new(binary.Mark), n); r.Skip(4); return 0 },
			"numbers":     func(r reads, n int) int { return len(r.numbers(nil, n)) },
		} {
			d := binary.DecodeLE(in)
			s := binary.NewStreamDecoder[binary.Little](bytes.NewReader(in))
			for who, r := range map[string]reads{"Decoder": sliceReads[binary.Little]{&d}, "StreamDecoder": streamReads[binary.Little]{s}} {
				var got int
				size := allocated(func() { got = read(r, int(r.Uint64())) })
				if got != 0 || r.Err() == nil || size > 20_000 {
					t.Errorf("%s.%s of %#x: %d bytes, %v, %d allocated", who, name, n, got, r.Err(), size)
				}
			}
		}
	}
}

// Until does not look beyond a span or the limit. Its bound is FuzzDecoder's.
func TestUntil(t *testing.T) {
	s := binary.NewStreamDecoder[binary.Big](strings.NewReader("abc\x00"), binary.Limit(2))
	if s.Until(0, 10); !errors.Is(s.Err(), binary.ErrTooLong) {
		t.Errorf("beyond the limit: %v", s.Err())
	}
	var m binary.Mark
	s.Reset(strings.NewReader("abc\x00"))
	s.Begin(&m, 2)
	for in, want := range map[string]error{"": io.EOF, "a": io.ErrUnexpectedEOF} {
		d, s := binary.DecodeBE([]byte(in)), binary.NewStreamDecoder[binary.Big](strings.NewReader(in))
		d.Until(0, 10)
		s.Until(0, 10)
		if errors.Unwrap(d.Err()) != want || errors.Unwrap(s.Err()) != want {
			t.Errorf("of %q: %v and %v, want %v", in, d.Err(), s.Err(), want)
		}
	}
	if s.Until(0, 10); !errors.Is(s.Err(), io.ErrUnexpectedEOF) {
		t.Errorf("beyond the span: %v", s.Err())
	}
	// A delimiter that never comes costs no more memory than the bound allows.
	if n := allocated(func() {
		s.Reset(io.LimitReader(zeros{}, 1<<30))
		s.Until(1, 10_000)
	}); n > 50_000 || !errors.Is(s.Err(), binary.ErrTooLong) {
		t.Errorf("%d bytes allocated, %v", n, s.Err())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A varint has one form if Canonical was called, and several otherwise.
func TestCanonicalVarints(t *testing.T) {
	for in, canonical := range map[string]bool{
		"\x00": true, "\x7f": true, "\x80\x01": true, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": true,
		"\x80\x00": false, "\xff\x00": false, "\x81\x80\x00": false, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f": true,
		"\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00": true, // the second number is 0
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00": false,
	} {
		for name, read := range map[string]func(r reads){
			"Uvarint": func(r reads) { r.Uvarint() },
			"Varint":  func(r reads) { r.Varint() },
			"behind a span": func(r reads) {
				var m binary.Mark
				r.Begin(&m, 0)
				r.End(&m)
				r.Uvarint()
			},
		} {
			for _, strict := range []bool{false, true} {
				d := binary.DecodeBE([]byte(in))
				s := binary.NewStreamDecoder[binary.Big](&stutter{in: []byte(in)})
				for who, r := range map[string]reads{"Decoder": sliceReads[binary.Big]{&d}, "StreamDecoder": streamReads[binary.Big]{s}} {
					if strict {
						r.Canonical()
					}
					read(r)
					if ok := r.Err() == nil; ok != (canonical || !strict) {
						t.Errorf("%s.%s of % x, canonical: %t: %v", who, name, in, strict, r.Err())
					}
				}
			}
		}
	}
	// It survives Resume, and Reset ends it.
	s := binary.NewStreamDecoder[binary.Big](&deadlines{r: strings.NewReader("\x80\x00")})
	s.Canonical()
	for s.Uvarint(); errors.Is(s.Err(), io.ErrUnexpectedEOF) || s.Resume() == nil && s.Err() == nil; s.Uvarint() {
	}
	if s.Err() == nil || !strings.HasSuffix(s.Err().Error(), "offset 0: varint longer than necessary") {
		t.Errorf("after Resume: %v", s.Err())
	}
	s.Reset(strings.NewReader("\x80\x00"))
	if s.Uvarint(); s.Err() != nil {
		t.Errorf("after Reset: %v", s.Err())
	}
}

// A name given to Field stays for the reads that follow, until the next Field, which may
// be empty.
func TestFieldStaysUntilTheNext(t *testing.T) {
	for name, want := range map[string]string{"next": "next", "": ""} {
		in := []byte{0, 0, 0, 9, 1, 2}
		d := binary.DecodeBE(in)
		s := binary.NewStreamDecoder[binary.Big](bytes.NewReader(in))
		d.Field("length").Uint32()
		s.Field("length").Uint32()
		d.Field(name).Skip(1)
		s.Field(name).Skip(1)
		d.Uint64()
		s.Uint64()
		d.Field("after the failure").Uint8()
		s.Field("after the failure").Uint8()
		for _, err := range []error{d.Err(), s.Err()} {
			var e *binary.Error
			if !errors.As(err, &e) || e.Field != want || e.Offset != 5 {
				t.Errorf("Field(%q): %v", name, err)
			}
		}
	}
}
