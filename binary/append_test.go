package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/octet-go/octet/binary"
)

// FuzzInterop compares with encoding/binary: values of every type, in both orders,
// written by an Appender and a StreamEncoder. FuzzDecoder reads them.
func FuzzInterop(f *testing.F) {
	f.Add(uint64(0), uint64(0))
	f.Add(uint64(math.MaxUint64), uint64(1))
	f.Add(uint64(0x0102030405060708), uint64(0x8182838485868788))
	f.Add(math.Float64bits(math.Pi), uint64(math.Float32bits(-math.E)))
	f.Add(math.Float64bits(math.NaN()), uint64(0x7fa00001)) // a signalling NaN
	f.Fuzz(func(t *testing.T, x, y uint64) {
		interop[binary.Little](t, stdbinary.LittleEndian, x, y)
		interop[binary.Big](t, stdbinary.BigEndian, x, y)
	})
}

func interop[O binary.Order](t *testing.T, order stdbinary.AppendByteOrder, x, y uint64) {
	want := []byte{byte(x % 2), byte(x), byte(y)}
	want = order.AppendUint16(order.AppendUint16(want, uint16(x)), uint16(y))
	want = order.AppendUint32(order.AppendUint32(want, uint32(x)), uint32(y))
	want = order.AppendUint64(order.AppendUint64(want, x), y)
	want = order.AppendUint64(order.AppendUint32(want, uint32(x)), y) // any bits, also those of signalling NaNs
	want = stdbinary.AppendVarint(stdbinary.AppendUvarint(want, x), int64(y))
	// What encoding/binary lacks is derived from what it has.
	four := order.AppendUint32(nil, uint32(x))
	if order.String() == "BigEndian" {
		want = append(want, four[1:]...)
	} else {
		want = append(want, four[:3]...)
	}

	got := binary.Appender[O](nil).
		Bool(x%2 == 1).Uint8(uint8(x)).Int8(int8(y)).Uint16(uint16(x)).Int16(int16(y)).
		Uint32(uint32(x)).Int32(int32(y)).Uint64(x).Int64(int64(y)).
		Float32(math.Float32frombits(uint32(x))).Float64(math.Float64frombits(y)).
		Uvarint(x).Varint(int64(y)).Uint24(uint32(x))
	if !bytes.Equal(got, want) {
		t.Errorf("Appender: % x\nwant      % x", got, want)
	}

	var out bytes.Buffer
	e := binary.NewStreamEncoder[O](&out, binary.BufferSize(16))
	e.Bool(x%2 == 1).Uint8(uint8(x)).Int8(int8(y)).Uint16(uint16(x)).Int16(int16(y)).
		Uint32(uint32(x)).Int32(int32(y)).Uint64(x).Int64(int64(y)).
		Float32(math.Float32frombits(uint32(x))).Float64(math.Float64frombits(y)).
		Uvarint(x).Varint(int64(y)).Uint24(uint32(x))
	if err := e.Close(); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("StreamEncoder: % x, %v\nwant           % x", out.Bytes(), err, want)
	}
}

// Spans produce what the methods for whole content produce.
func TestAppendSpans(t *testing.T) {
	spans[binary.Little](t)
	spans[binary.Big](t)
}

func spans[O binary.Order](t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 255, 256, 16383, 16384, 65535, 65536, 1 << 20} {
		p := bytes.Repeat([]byte{0xa5}, n)
		head := binary.Appender[O]("head")
		var m binary.Mark
		check := func(name string, got, want binary.Appender[O]) {
			if !bytes.Equal(got, want) {
				t.Errorf("%s of %d bytes: %d bytes, want %d", name, n, len(got), len(want))
			}
		}
		if n <= math.MaxUint8 {
			check("Begin8", head.Begin8(&m).Bytes(p).End(&m), head.Bytes8(p))
		}
		if n <= math.MaxUint16 {
			check("Begin16", head.Begin16(&m).Bytes(p).End(&m), head.Bytes16(p))
		}
		check("Begin24", head.Begin24(&m).Bytes(p).End(&m), head.Bytes24(p))
		check("Begin32", head.Begin32(&m).Bytes(p).End(&m), head.Bytes32(p))
		check("BeginVarint", head.BeginVarint(&m).Bytes(p).End(&m), head.BytesVarint(p))

		// Nested, where the growth of the inner prefix changes the outer length.
		var inner binary.Mark
		check("nested", head.BeginVarint(&m).Begin16(&inner).End(&inner).BeginVarint(&inner).Bytes(p).End(&inner).End(&m),
			head.BytesVarint(binary.Appender[O]{0, 0}.BytesVarint(p)))
	}
}

func TestAppendTooLong(t *testing.T) {
	tooLong := make([]byte, 1<<24)
	for _, tt := range []struct {
		name string
		most int64
		do   func(b binary.BE, m *binary.Mark, p []byte)
	}{
		{"Bytes8", math.MaxUint8, func(b binary.BE, m *binary.Mark, p []byte) { b.Bytes8(p) }},
		{"Bytes16", math.MaxUint16, func(b binary.BE, m *binary.Mark, p []byte) { b.Bytes16(p) }},
		{"Bytes24", 1<<24 - 1, func(b binary.BE, m *binary.Mark, p []byte) { b.Bytes24(p) }},
		{"String8", math.MaxUint8, func(b binary.BE, m *binary.Mark, p []byte) { b.String8(string(p)) }},
		{"String16", math.MaxUint16, func(b binary.BE, m *binary.Mark, p []byte) { b.String16(string(p)) }},
		{"Begin8", math.MaxUint8, func(b binary.BE, m *binary.Mark, p []byte) { b.Begin8(m).Bytes(p).End(m) }},
		{"Begin16", math.MaxUint16, func(b binary.BE, m *binary.Mark, p []byte) { b.Begin16(m).Bytes(p).End(m) }},
		{"Begin24", 1<<24 - 1, func(b binary.BE, m *binary.Mark, p []byte) { b.Begin24(m).Bytes(p).End(m) }},
	} {
		var m binary.Mark
		tt.do(nil, &m, tooLong[:tt.most])
		err, _ := panicked(func() { tt.do(nil, &m, tooLong[:tt.most+1]) }).(error)
		var e *binary.Error
		if !errors.Is(err, binary.ErrOverflow) || !errors.As(err, &e) || e.Want != tt.most+1 || e.Have != tt.most {
			t.Errorf("%s: panic %v", tt.name, err)
		}
	}
}

func panicked(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestAlign(t *testing.T) {
	for size := range 20 {
		for start := range size + 1 {
			for n := 1; n < 9; n++ {
				b := binary.LE(nil).Pad(size).Align(n, start)
				if k := len(b) - start; k%n != 0 || len(b)-size >= n {
					t.Fatalf("Align(%d, %d) of %d bytes: %d", n, start, size, len(b))
				}
				d := binary.DecodeLE(make([]byte, 40))
				d.Skip(size)
				if d.Align(n, start); d.Offset() != len(b) {
					t.Fatalf("Decoder.Align(%d, %d) at %d: %d, want %d", n, start, size, d.Offset(), len(b))
				}
				s := binary.NewStreamDecoder[binary.Little](bytes.NewReader(make([]byte, 40)))
				s.Skip(size)
				if s.Align(n, int64(start)); s.Offset() != int64(len(b)) {
					t.Fatalf("StreamDecoder.Align(%d, %d) at %d: %d, want %d", n, start, size, s.Offset(), len(b))
				}
				e := binary.NewStreamEncoder[binary.Little](new(bytes.Buffer))
				if e.Pad(size).Align(n, int64(start)); e.Offset() != int64(len(b)) {
					t.Fatalf("StreamEncoder.Align(%d, %d) at %d: %d, want %d", n, start, size, e.Offset(), len(b))
				}
			}
		}
	}
}

var errBad = errors.New("bad")
