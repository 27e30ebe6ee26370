package binary_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/octet-go/octet/binary"
)

// An error has the field and the reason that Fail was given, beside what FuzzDecoder compares.
// The first error stays.
func TestDecoderErrors(t *testing.T) {
	in := []byte{1, 2, 3, 4, 5}
	for _, tt := range []struct {
		name string
		do   func(d *binary.BEDecoder)
		want binary.Error
	}{
		{"field", func(d *binary.BEDecoder) { d.Field("id").Uint16(); d.Field("size").Uint32(); d.Field("rest").Uint8() },
			binary.Error{Offset: 2, Field: "size", Want: 4, Have: 3, Err: io.ErrUnexpectedEOF}},
		{"field of several reads", func(d *binary.BEDecoder) { d.Field("id").Uint16(); d.Uint16(); d.Uint16() },
			binary.Error{Offset: 4, Field: "id", Want: 2, Have: 1, Err: io.ErrUnexpectedEOF}},
		{"no field any more", func(d *binary.BEDecoder) { d.Field("id").Uint16(); d.Field("").Uint32() },
			binary.Error{Offset: 2, Want: 4, Have: 3, Err: io.ErrUnexpectedEOF}},
		{"field of a slice", func(d *binary.BEDecoder) { d.Field("name").Bytes(9); d.Field("rest").Bytes(0) },
			binary.Error{Field: "name", Want: 9, Have: 5, Err: io.ErrUnexpectedEOF}},
		{"field of a length", func(d *binary.BEDecoder) { d.Field("name").String16() },
			binary.Error{Offset: 2, Field: "name", Want: 0x102, Have: 3, Err: io.ErrUnexpectedEOF}},
		{"Fail", func(d *binary.BEDecoder) { d.Field("version").Uint8(); d.Fail(nil); d.Fail(errBad); d.Fail(io.EOF) },
			binary.Error{Offset: 1, Field: "version", Err: errBad}},
		{"left in a span", func(d *binary.BEDecoder) { var m binary.Mark; d.Begin(&m, 4); d.Uint16(); d.Field("list").End(&m) },
			binary.Error{Offset: 2, Field: "list", Have: 2, Err: binary.ErrTrailing}},
	} {
		d := binary.DecodeBE(in)
		tt.do(&d)
		var e *binary.Error
		first := d.Err()
		if !errors.As(first, &e) || *e != tt.want || !errors.Is(first, tt.want.Err) {
			t.Errorf("%s: %v, want %v", tt.name, first, &tt.want)
		}
		runtime.GC()
		if d.Field("after the failure"); d.Err() != first || d.Done() != first {
			t.Errorf("%s: %p and then %p, %p", tt.name, first, d.Err(), d.Done())
		}
		if d.Len() != 0 || d.Uint8() != 0 || d.Bytes(0) != nil || d.Peek(0) != nil || d.Bytes(d.Len()) != nil || d.Bool() {
			t.Errorf("%s: it reads on after it has failed", tt.name)
		}
		if d.Offset() != int(tt.want.Offset) {
			t.Errorf("%s: offset %d, want %d", tt.name, d.Offset(), tt.want.Offset)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		e    binary.Error
		want string
	}{
		{binary.Error{Offset: 4, Field: "count", Want: 2, Have: 1, Err: io.ErrUnexpectedEOF},
			"binary: count at offset 4: want 2 bytes, have 1: unexpected EOF"},
		{binary.Error{Offset: 9, Want: 4, Err: io.EOF}, "binary: at offset 9: want 4 bytes, have 0: EOF"},
		{binary.Error{Offset: 9, Have: 3, Err: binary.ErrTrailing}, "binary: at offset 9: have 3 bytes: bytes left over"},
		{binary.Error{Offset: 9, Have: 1, Err: binary.ErrTrailing}, "binary: at offset 9: have 1 byte: bytes left over"},
		{binary.Error{Offset: 9, Want: 1, Err: io.EOF}, "binary: at offset 9: want 1 byte, have 0: EOF"},
		{binary.Error{Offset: 9, Field: "size", Err: binary.ErrOverflow}, "binary: size at offset 9: overflow"},
		{binary.Error{Offset: 9, Field: "size", Want: -2, Err: binary.ErrOverflow}, "binary: size at offset 9: negative count -2"},
	} {
		if got := tt.e.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestDecoderDone(t *testing.T) {
	d := binary.DecodeLE([]byte{1, 2})
	d.Uint8()
	if err := d.Done(); !errors.Is(err, binary.ErrTrailing) {
		t.Errorf("with a byte left: %v", err)
	}
	if d.Err() != nil || d.Uint8() != 2 {
		t.Error("Done made it fail")
	}
	if err := d.Done(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	d.Uint8()
	if err := d.Done(); !errors.Is(err, io.EOF) {
		t.Errorf("after a failure: %v", err)
	}
	var zero binary.LEDecoder
	if zero.Len() != 0 || zero.Done() != nil || zero.Uint64() != 0 || zero.Err() == nil {
		t.Error("the zero value is not an empty input")
	}
}

// A mark of another decoder never leads beyond the input, nor extends a span.
func TestForeignMarks(t *testing.T) {
	var outer, inner, foreign binary.Mark
	in := binary.BE(nil).Begin16(&outer).Uint8(1).Begin8(&inner).Uint16(2).End(&inner).Uint8(3).End(&outer).Uint8(4)
	for name, d := range map[string]binary.BEDecoder{"without a span": binary.DecodeBE(in), "in a span": binary.DecodeBE(in)} {
		if name == "in a span" {
			d.Begin(&outer, 0)
		}
		long := binary.DecodeBE(make([]byte, 100))
		if long.Begin(&foreign, 0); panicked(func() { d.End(&foreign) }) == nil {
			t.Errorf("%s, End of the mark of a longer input did not panic", name)
		}
	}
	d := binary.DecodeBE(in)
	d.Begin(&outer, 8)
	part := binary.DecodeBE(d.Bytes(4))
	part.Begin(&inner, 4)
	part.Skip(4)
	if panicked(func() { part.End(&outer) }) == nil || part.Uint8() != 0 {
		t.Error("End of the outer decoder's mark in one of a part did not panic")
	}
	s := binary.NewStreamDecoder[binary.Big](bytes.NewReader(in))
	s.Skip(4)
	short := binary.DecodeBE(in)
	short.Begin(&foreign, 0)
	if panicked(func() { s.End(&foreign) }) == nil {
		t.Error("End of a Decoder's mark in a StreamDecoder did not panic")
	}
}

func TestDecoderCopies(t *testing.T) {
	in := []byte("\x03abcdefgh")
	d := binary.DecodeLE(in)
	s := d.String8()
	p := d.AppendBytes([]byte("x"), 2)
	var q [3]byte
	d.Copy(q[:])
	clear(in)
	if s != "abc" || string(p) != "xde" || string(q[:]) != "fgh" {
		t.Errorf("%q %q %q", s, p, q)
	}
	p = d.AppendBytes(p, 1)
	if d.Copy(q[:]); string(p) != "xde" || string(q[:]) != "fgh" {
		t.Errorf("changed by a read that failed: %q %q", p, q)
	}
}

// allocated returns how many bytes f allocates. It takes the least of several runs,
// because the counters are those of the whole program.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
