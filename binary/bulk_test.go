package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/octet-go/octet/binary"
)

type (
	namedInt8       int8
	namedInt16      int16
	namedInt32      int32
	namedInt64      int64
	namedUint8      uint8
	namedUint16     uint16
	namedUint32     uint32
	namedUint64     uint64
	namedFloat32    float32
	namedFloat64    float64
	namedComplex64  complex64
	namedComplex128 complex128
)

// An element makes values of a type from random bits, and bytes from values. It does not
// use encoding/binary, which changes signalling NaNs of some types.
type element[U any] struct {
	of  func(a, b uint64) U
	put func(o stdbinary.ByteOrder, b []byte, u U) int
}

var (
	int8s    = element[int8]{func(a, _ uint64) int8 { return int8(a) }, func(_ stdbinary.ByteOrder, b []byte, u int8) int { b[0] = byte(u); return 1 }}
	int16s   = element[int16]{func(a, _ uint64) int16 { return int16(a) }, func(o stdbinary.ByteOrder, b []byte, u int16) int { o.PutUint16(b, uint16(u)); return 2 }}
	int32s   = element[int32]{func(a, _ uint64) int32 { return int32(a) }, func(o stdbinary.ByteOrder, b []byte, u int32) int { o.PutUint32(b, uint32(u)); return 4 }}
	int64s   = element[int64]{func(a, _ uint64) int64 { return int64(a) }, func(o stdbinary.ByteOrder, b []byte, u int64) int { o.PutUint64(b, uint64(u)); return 8 }}
	uint8s   = element[uint8]{func(a, _ uint64) uint8 { return uint8(a) }, func(_ stdbinary.ByteOrder, b []byte, u uint8) int { b[0] = u; return 1 }}
	uint16s  = element[uint16]{func(a, _ uint64) uint16 { return uint16(a) }, func(o stdbinary.ByteOrder, b []byte, u uint16) int { o.PutUint16(b, u); return 2 }}
	uint32s  = element[uint32]{func(a, _ uint64) uint32 { return uint32(a) }, func(o stdbinary.ByteOrder, b []byte, u uint32) int { o.PutUint32(b, u); return 4 }}
	uint64s  = element[uint64]{func(a, _ uint64) uint64 { return a }, func(o stdbinary.ByteOrder, b []byte, u uint64) int { o.PutUint64(b, u); return 8 }}
	float32s = element[float32]{
		func(a, _ uint64) float32 { return math.Float32frombits(uint32(a)) },
		func(o stdbinary.ByteOrder, b []byte, u float32) int { o.PutUint32(b, math.Float32bits(u)); return 4 }}
	float64s = element[float64]{
		func(a, _ uint64) float64 { return math.Float64frombits(a) },
		func(o stdbinary.ByteOrder, b []byte, u float64) int { o.PutUint64(b, math.Float64bits(u)); return 8 }}
	complex64s = element[complex64]{
		func(a, b uint64) complex64 {
			return complex(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))
		},
		func(o stdbinary.ByteOrder, b []byte, u complex64) int {
			return float32s.put(o, b, real(u)) + float32s.put(o, b[4:], imag(u))
		}}
	complex128s = element[complex128]{
		func(a, b uint64) complex128 { return complex(math.Float64frombits(a), math.Float64frombits(b)) },
		func(o stdbinary.ByteOrder, b []byte, u complex128) int {
			return float64s.put(o, b, real(u)) + float64s.put(o, b[8:], imag(u))
		}}
)

func TestSlices(t *testing.T) {
	testSlices(t, int8s, func(u int8) int8 { return u })
	testSlices(t, int16s, func(u int16) int16 { return u })
	testSlices(t, int32s, func(u int32) int32 { return u })
	testSlices(t, int64s, func(u int64) int64 { return u })
	testSlices(t, uint8s, func(u uint8) uint8 { return u })
	testSlices(t, uint16s, func(u uint16) uint16 { return u })
	testSlices(t, uint32s, func(u uint32) uint32 { return u })
	testSlices(t, uint64s, func(u uint64) uint64 { return u })
	testSlices(t, float32s, func(u float32) float32 { return u })
	testSlices(t, float64s, func(u float64) float64 { return u })
	testSlices(t, complex64s, func(u complex64) complex64 { return u })
	testSlices(t, complex128s, func(u complex128) complex128 { return u })
	testSlices(t, int8s, func(u int8) namedInt8 { return namedInt8(u) })
	testSlices(t, int16s, func(u int16) namedInt16 { return namedInt16(u) })
	testSlices(t, int32s, func(u int32) namedInt32 { return namedInt32(u) })
	testSlices(t, int64s, func(u int64) namedInt64 { return namedInt64(u) })
	testSlices(t, uint8s, func(u uint8) namedUint8 { return namedUint8(u) })
	testSlices(t, uint16s, func(u uint16) namedUint16 { return namedUint16(u) })
	testSlices(t, uint32s, func(u uint32) namedUint32 { return namedUint32(u) })
	testSlices(t, uint64s, func(u uint64) namedUint64 { return namedUint64(u) })
	testSlices(t, float32s, func(u float32) namedFloat32 { return namedFloat32(u) })
	testSlices(t, float64s, func(u float64) namedFloat64 { return namedFloat64(u) })
	testSlices(t, complex64s, func(u complex64) namedComplex64 { return namedComplex64(u) })
	testSlices(t, complex128s, func(u complex128) namedComplex128 { return namedComplex128(u) })
}

// testSlices converts slices of T, whose underlying type is U, by all functions,
// in all orders, for many lengths and at every alignment of the bytes.
func testSlices[T binary.Number, U any](t *testing.T, of element[U], name func(U) T) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1025, 3000} {
			v := make([]T, n)
			us := make([]U, n)
			for i := range v {
				us[i] = of.of(random.Uint64(), random.Uint64())
				v[i] = name(us[i])
			}
			for _, order := range orders {
				var want []byte
				for _, u := range us {
					var b [16]byte
					want = append(want, b[:of.put(order, b[:], u)]...)
				}
				offset := random.IntN(33)
				testSlice(t, order, v, want, offset)
				if t.Failed() {
					t.Fatalf("%d elements, %v, at offset %d", n, order, offset)
				}
			}
		}
	})
}

func testSlice[T binary.Number](t *testing.T, order stdbinary.ByteOrder, v []T, want []byte, offset int) {
	const guard = 0xa5
	guarded := func() []byte { return bytes.Repeat([]byte{guard}, offset+len(want)+40) }
	// same compares bytes, because a NaN does not equal itself.
	same := func(got []T) bool {
		return bytes.Equal(binary.AppendSlice(nil, order, got), want) && len(got) == len(v)
	}

	switch order {
	case binary.LittleEndian:
		testNumbers[binary.Little](t, v, want)
	case binary.BigEndian:
		testNumbers[binary.Big](t, v, want)
	}

	if got := binary.AppendSlice(guarded()[:offset], order, v); !bytes.Equal(got[offset:], want) || bytes.Count(got[:offset], []byte{guard}) != offset {
		t.Errorf("AppendSlice: % x\nwant % x", got[offset:], want)
	}
	if got := binary.AppendSlice(nil, order, v); !bytes.Equal(got, want) {
		t.Errorf("AppendSlice to nil: % x\nwant % x", got, want)
	}
	buf := guarded()
	n, err := binary.EncodeSlice(buf[offset:], order, v)
	if n != len(want) || err != nil || !bytes.Equal(buf[offset:offset+n], want) || bytes.Count(buf[offset+n:], []byte{guard}) != 40 {
		t.Errorf("EncodeSlice = %d, %v: % x\nwant % x", n, err, buf[offset:offset+n], want)
	}
	input := bytes.Clone(buf)
	got := make([]T, len(v)+1)
	n, err = binary.DecodeSlice(buf[offset:], order, got[:len(v):len(v)])
	if n != len(want) || err != nil || !same(got[:len(v)]) || got[len(v)] != 0 || !bytes.Equal(buf, input) {
		t.Errorf("DecodeSlice = %d, %v: %v\nwant %v", n, err, got, v)
	}

	var static, other bytes.Buffer
	for _, w := range []io.Writer{&static, struct{ io.Writer }{&other}} {
		c := binary.WriteChain{Writer: w, ByteOrder: order}
		c.Byte(1)
		if n, err := binary.WriteSlice(&c, v).Byte(2).End(); n != len(want)+2 || err != nil {
			t.Errorf("WriteSlice and End = %d, %v", n, err)
		}
	}
	stream := slices.Concat([]byte{1}, want, []byte{2})
	if !bytes.Equal(static.Bytes(), stream) || !bytes.Equal(other.Bytes(), stream) {
		t.Errorf("WriteSlice wrote\n% x and\n% x, want\n% x", static.Bytes(), other.Bytes(), stream)
	}
	for _, in := range []io.Reader{bytes.NewReader(stream), struct{ io.Reader }{bytes.NewReader(stream)}, &scriptReader{data: stream, script: bytes.Repeat([]byte{4, 1}, 1000)}} {
		r := binary.Reader{Reader: in, ByteOrder: order}
		r.Byte()
		got := make([]T, len(v))
		if n := binary.ReadSlice(&r, got); n != len(v) || !same(got) || r.Byte() != 2 {
			t.Errorf("ReadSlice = %d: %v\nwant %v", n, got, v)
		}
		if n, err := r.End(); n != len(stream) || err != nil {
			t.Errorf("End after ReadSlice = %d, %v", n, err)
		}
	}
}

// A buffer that is too short is reported and not modified.
func TestSlicesShort(t *testing.T) {
	for _, order := range orders {
		buf := bytes.Repeat([]byte{7}, 11)
		if n, err := binary.EncodeSlice(buf, order, []uint32{1, 2, 3}); n != 0 || !errors.Is(err, io.ErrShortBuffer) {
			t.Errorf("EncodeSlice = %d, %v", n, err)
		}
		v := []uint32{1, 2, 3}
		if n, err := binary.DecodeSlice(buf, order, v); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) || !slices.Equal(v, []uint32{1, 2, 3}) {
			t.Errorf("DecodeSlice = %d, %v, %v", n, err, v)
		}
		if n, err := binary.DecodeSlice(nil, order, v); n != 0 || !errors.Is(err, io.EOF) || !slices.Equal(v, []uint32{1, 2, 3}) {
			t.Errorf("DecodeSlice of nothing = %d, %v, %v", n, err, v)
		}
		if n, err := binary.DecodeSlice(nil, order, v[:0]); n != 0 || err != nil {
			t.Errorf("DecodeSlice of nothing from nothing = %d, %v", n, err)
		}
		if !bytes.Equal(buf, bytes.Repeat([]byte{7}, 11)) {
			t.Errorf("EncodeSlice wrote to a buffer that is too short: % x", buf)
		}
	}
}

func TestSlicesWithoutOrder(t *testing.T) {
	for name, do := range map[string]func(){
		"AppendSlice": func() { binary.AppendSlice(nil, nil, []uint16{1}) },
		"EncodeSlice": func() { binary.EncodeSlice(make([]byte, 2), nil, []uint16{1}) },
		"DecodeSlice": func() { binary.DecodeSlice(make([]byte, 2), nil, []uint16{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			do()
		}()
	}
}

// Elements read before the input ends are set, and the others are zero.
func TestReadSliceFromTooLittle(t *testing.T) {
	for _, order := range orders {
		for have := range 5 * 4 {
			v := []int32{1, 2, 3, 4, 5}
			in := binary.AppendSlice(nil, order, v)[:have]
			got := []int32{-1, -1, -1, -1, -1}
			r := binary.Reader{Reader: struct{ io.Reader }{bytes.NewReader(in)}, ByteOrder: order}
			n := binary.ReadSlice(&r, got)
			clear(v[have/4:])
			if n != have/4 || !slices.Equal(got, v) {
				t.Errorf("%v: from %d bytes %d elements are read: %v", order, have, n, got)
			}
			want := io.ErrUnexpectedEOF
			if have == 0 {
				want = io.EOF
			}
			if m, err := r.End(); m != have || err != want {
				t.Errorf("%v: from %d bytes: End = %d, %v", order, have, m, err)
			}
		}
	}
}

// A long slice that cannot be written from its own memory is written in pieces, until
// the Writer fails.
func TestWriteSliceInPieces(t *testing.T) {
	full := errors.New("full")
	v := make([]uint64, 5000)
	for i := range v {
		v[i] = uint64(i)
	}
	for _, order := range orders {
		var out []byte
		calls := 0
		c := binary.WriteChain{ByteOrder: order, Writer: writerFunc(func(p []byte) (int, error) {
			calls++
			if len(out)+len(p) > 30_000 {
				return 0, full
			}
			out = append(out, p...)
			return len(p), nil
		})}
		n, err := binary.WriteSlice(&c, v).End()
		if n != len(out) || err != full || !bytes.HasPrefix(binary.AppendSlice(nil, order, v), out) {
			t.Errorf("%v: End = %d, %v", order, n, err)
		}
		if want := len(out)/(8<<10) + 1; calls != want {
			t.Errorf("%v: %d calls of the Writer, want %d", order, calls, want)
		}
	}
}

// Every byte slice can be decoded and encodes to itself again, and encoding/binary
// agrees about the elements.
func FuzzSlices(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte("0123456789abcdef0123456789ABCDEF012"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		order := orders[which%4]
		fuzzSlice[uint8](t, order, data)
		fuzzSlice[int16](t, order, data)
		fuzzSlice[uint32](t, order, data)
		fuzzSlice[int64](t, order, data)
		fuzzSlice[float32](t, order, data)
		fuzzSlice[float64](t, order, data)
		fuzzSlice[namedUint16](t, order, data)
		fuzzSlice[namedFloat32](t, order, data)
		fuzzSlice[complex64](t, order, data)
		fuzzSlice[namedComplex128](t, order, data)
	})
}

func fuzzSlice[T binary.Number](t *testing.T, order stdbinary.ByteOrder, data []byte) {
	size := stdbinary.Size(*new(T))
	v := make([]T, len(data)/size)
	n, err := binary.DecodeSlice(data, order, v)
	if n != len(v)*size || err != nil {
		t.Fatalf("DecodeSlice = %d, %v", n, err)
	}
	if got := binary.AppendSlice(nil, order, v); !bytes.Equal(got, data[:n]) {
		t.Fatalf("%T: % x became % x", v, data[:n], got)
	}
	std := make([]T, len(v))
	if _, err := stdbinary.Decode(data[:n], order, std); err != nil && n > 0 {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(v), fmt.Sprint(std); got != want { // NaN != NaN
		t.Fatalf("%T: decoded %s, encoding/binary %s", v, got, want)
	}
}
