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
// written by an Appender and a StreamEncoder, and read by a Decoder and a StreamDecoder.
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

// numbers has a value of each type that encoding/binary supports.
type numbers struct {
	B   bool
	U8  uint8
	I8  int8
	U16 uint16
	I16 int16
	U32 uint32
	I32 int32
	U64 uint64
	I64 int64
	F32 float32
	F64 float64
}

// quiet returns the number with these bits, but a quiet NaN for a signalling one, as
// encoding/binary does because reflect converts to float64. Package binary keeps
// signalling NaNs; see TestSignallingNaN.
func quiet(bits uint32) float32 {
	if bits&0x7fffffff > 0x7f800000 {
		bits |= 1 << 22
	}
	return math.Float32frombits(bits)
}

type appendOrder interface {
	stdbinary.ByteOrder
	stdbinary.AppendByteOrder
}

func interop[O binary.Order](t *testing.T, order appendOrder, x, y uint64) {
	v := numbers{
		x%2 == 1, uint8(x), int8(y), uint16(x), int16(y), uint32(x), int32(y), x, int64(y),
		quiet(uint32(x)), math.Float64frombits(y),
	}
	want, err := stdbinary.Append(nil, order, v)
	if err != nil {
		t.Fatal(err)
	}
	fixed := len(want)
	want = stdbinary.AppendVarint(stdbinary.AppendUvarint(want, x), int64(y))
	// What encoding/binary lacks is derived from what it has.
	four := order.AppendUint32(nil, uint32(x))
	if order.String() == "BigEndian" {
		want = append(want, four[1:]...)
	} else {
		want = append(want, four[:3]...)
	}

	got := binary.Appender[O](nil).
		Bool(v.B).Uint8(v.U8).Int8(v.I8).Uint16(v.U16).Int16(v.I16).Uint32(v.U32).Int32(v.I32).Uint64(v.U64).Int64(v.I64).
		Float32(v.F32).Float64(v.F64).
		Uvarint(x).Varint(int64(y)).
		Uint24(uint32(x))
	if !bytes.Equal(got, want) {
		t.Errorf("Appender: % x\nwant      % x", got, want)
	}

	var out bytes.Buffer
	e := binary.NewStreamEncoder[O](&out, binary.BufferSize(16))
	e.Bool(v.B).Uint8(v.U8).Int8(v.I8).Uint16(v.U16).Int16(v.I16).Uint32(v.U32).Int32(v.I32).Uint64(v.U64).Int64(v.I64).
		Float32(v.F32).Float64(v.F64).
		Uvarint(x).Varint(int64(y)).
		Uint24(uint32(x))
	if err := e.Close(); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("StreamEncoder: % x, %v\nwant           % x", out.Bytes(), err, want)
	}

	var std numbers
	if _, err := stdbinary.Decode(want, order, &std); err != nil {
		t.Fatal(err)
	}
	d := binary.NewDecoder[O](want)
	interopReads(t, "Decoder", sliceReads[O]{&d}, std, x, int64(y))
	s := binary.NewStreamDecoder[O](&stutter{in: want, size: 3}, binary.BufferSize(16))
	interopReads(t, "StreamDecoder", streamReads[O]{s}, std, x, int64(y))

	// Input that ends too early, at every offset.
	for n := range fixed {
		d := binary.NewDecoder[O](want[:n])
		readNumbers(sliceReads[O]{&d})
		if d.Err() == nil {
			t.Errorf("%d of %d bytes were enough", n, fixed)
		}
	}
}

func TestSignallingNaN(t *testing.T) {
	const bits = 0x7fa00001
	v := math.Float32frombits(bits)
	b := binary.BE(nil).Float32(v)
	want := binary.BE(nil).Uint32(bits)
	if !bytes.Equal(b, want) {
		t.Errorf("written: % x", b)
	}
	d := binary.DecodeBE(want)
	if f := d.Float32(); math.Float32bits(f) != bits {
		t.Error("read: changed")
	}
}

func readNumbers(r reads) numbers {
	return numbers{
		r.Bool(), r.Uint8(), r.Int8(), r.Uint16(), r.Int16(), r.Uint32(), r.Int32(), r.Uint64(), r.Int64(),
		r.Float32(), r.Float64(),
	}
}

func interopReads(t *testing.T, who string, r reads, want numbers, x uint64, y int64) {
	t.Helper()
	// Compared by their bytes, because of NaNs.
	bits := func(v numbers) []byte {
		b, err := stdbinary.Append(nil, stdbinary.BigEndian, v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if got := readNumbers(r); !bytes.Equal(bits(got), bits(want)) {
		t.Errorf("%s: %v, want %v", who, got, want)
	}
	if got := r.Uvarint(); got != x {
		t.Errorf("%s: Uvarint %d, want %d", who, got, x)
	}
	if got := r.Varint(); got != y {
		t.Errorf("%s: Varint %d, want %d", who, got, y)
	}
	if got, want := r.Uint24(), uint32(x&0xffffff); got != want {
		t.Errorf("%s: Uint24 %#x, want %#x", who, got, want)
	}
	if err := r.Err(); err != nil {
		t.Errorf("%s: %v", who, err)
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
