package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/binary"
)

type (
	namedFloat32   float32
	namedComplex64 complex64
)

func TestNumbers(t *testing.T) {
	testElements[int8](t)
	testElements[int16](t)
	testElements[int32](t)
	testElements[int64](t)
	testElements[uint8](t)
	testElements[uint16](t)
	testElements[uint32](t)
	testElements[uint64](t)
	testElements[float32](t)
	testElements[float64](t)
	testElements[complex64](t)
	testElements[complex128](t)
	testElements[namedFloat32](t)
	testElements[namedComplex64](t)
}

// testElements converts slices of T by all functions, in both orders, for many lengths and at
// every alignment of the bytes. The elements have any bits, also those of signalling NaNs, which
// encoding/binary changes for some types.
func testElements[T binary.Number](t *testing.T) {
	size := int(unsafe.Sizeof(*new(T)))
	part := size // of an element, that has an order of its own
	if k := reflect.TypeFor[T]().Kind(); k == reflect.Complex64 || k == reflect.Complex128 {
		part /= 2
	}
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1025, 3000} {
			v := make([]T, n)
			memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), n*size)
			for i := range memory {
				memory[i] = byte(random.Uint32())
			}
			little, big := slices.Clone(memory), slices.Clone(memory)
			other := big
			if stdbinary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
				other = little
			}
			for p := range slices.Chunk(other, part) {
				slices.Reverse(p)
			}
			offset := random.IntN(33)
			testSlices[binary.Little](t, v, little, offset)
			testSlices[binary.Big](t, v, big, offset)
			testNumbers[binary.Little](t, v, little)
			testNumbers[binary.Big](t, v, big)
			if t.Failed() {
				t.Fatalf("%d elements at offset %d", n, offset)
			}
		}
	})
}

// testSlices converts v in memory of the given offset, and looks at what is around it. Want
// has the bytes of v in the order O.
func testSlices[O binary.Order, T binary.Number](t *testing.T, v []T, want []byte, offset int) {
	const guard = 0xa5
	buf := bytes.Repeat([]byte{guard}, offset+len(want)+40)
	got := binary.AppendNumbers(binary.Appender[O](buf[:offset]), v)
	if &got[:1][0] != &buf[0] || !bytes.Equal(got[offset:], want) || bytes.Count(buf[:offset], []byte{guard}) != offset || bytes.Count(buf[len(got):], []byte{guard}) != 40 {
		t.Errorf("AppendNumbers: % x\nwant % x", buf, want)
	}
	if got := binary.AppendNumbers(binary.Appender[O](nil), v); !bytes.Equal(got, want) {
		t.Errorf("AppendNumbers to nil: % x\nwant % x", got, want)
	}
	input := bytes.Clone(buf)
	array := make([]T, len(v)+1)
	d := binary.NewDecoder[O](buf[offset:])
	back := binary.DecodeNumbers(&d, array[:0:len(v)], len(v))
	// Compare bytes, because a NaN does not equal itself.
	if len(back) != len(v) || d.Err() != nil || !bytes.Equal(binary.AppendNumbers(binary.Appender[O](nil), array[:len(v)]), want) || array[len(v)] != 0 || !bytes.Equal(buf, input) {
		t.Errorf("DecodeNumbers: %v, %v, want %v", back, d.Err(), v)
	}
}

// testNumbers converts v by the functions for appenders, decoders and streams. Want has
// the bytes of v in the order O.
func testNumbers[O binary.Order, T binary.Number](t *testing.T, v []T, want []byte) {
	// Compare bytes, because a NaN does not equal itself.
	bytesOf := func(v []T) []byte { return binary.AppendNumbers(binary.Appender[O](nil), v) }
	check := func(who string, got []T, err error) {
		t.Helper()
		if len(got) != 1+len(v) || !bytes.Equal(bytesOf(got[:1]), bytesOf(make([]T, 1))) || !bytes.Equal(bytesOf(got[1:]), want) || err != nil {
			t.Errorf("%s: %d numbers, %v: %v, want %v", who, len(got), err, got, v)
		}
	}
	checkShort := func(who string, got []T, err error) {
		t.Helper()
		var e *binary.Error
		if len(got) != 1 || !errors.As(err, &e) || e.Offset != 1 || e.Want != int64(len(want)) || e.Have != int64(len(want)-1) {
			t.Errorf("%s of too little: %d numbers, %v", who, len(got), err)
		}
	}
	if got := binary.AppendNumbers(binary.Appender[O]("x"), v).Uint8(2); !bytes.Equal(got, append(append([]byte("x"), want...), 2)) {
		t.Errorf("AppendNumbers: % x\nwant 78 % x 2", got, want)
	}

	in := append([]byte{1}, want...)
	d := binary.NewDecoder[O](in)
	d.Skip(1)
	check("DecodeNumbers", binary.DecodeNumbers(&d, make([]T, 1), len(v)), d.Done())
	if len(v) > 0 {
		d := binary.NewDecoder[O](in[:len(in)-1])
		d.Skip(1)
		checkShort("DecodeNumbers", binary.DecodeNumbers(&d, make([]T, 1), len(v)), d.Err())
	}

	for _, size := range []int{16, 100, 4096} {
		for _, span := range []bool{false, true} {
			var out bytes.Buffer
			var m binary.Mark
			e := binary.NewStreamEncoder[O](&out, binary.BufferSize(size)).Uint8(1)
			whole := append(slices.Clone(in), 2)
			if span {
				binary.WriteNumbers(e.Begin32(&m), v).End(&m)
				whole = binary.Appender[O](nil).Uint8(1).Bytes32(want).Uint8(2)
			} else {
				binary.WriteNumbers(e, v)
				if n := int(e.Offset()) - out.Len(); n > size {
					t.Errorf("WriteNumbers leaves %d bytes in a buffer of %d", n, size)
				}
			}
			if err := e.Uint8(2).Close(); err != nil || !bytes.Equal(out.Bytes(), whole) {
				t.Errorf("WriteNumbers, buffer of %d, span %t: %v, % x\nwant % x", size, span, err, out.Bytes(), whole)
			}
		}
		for _, marked := range []bool{false, true} {
			var m binary.Mark
			s := binary.NewStreamDecoder[O](&stutter{in: in, size: 50}, binary.BufferSize(size))
			if marked {
				s.Mark(&m)
			}
			s.Skip(1)
			check("ReadNumbers", binary.ReadNumbers(s, make([]T, 1), len(v)), s.Done())
			if marked && !bytes.Equal(s.Since(&m), in) {
				t.Error("Since a mark before ReadNumbers: not what was read")
			}
			if len(v) > 0 {
				s := binary.NewStreamDecoder[O](&stutter{in: in[:len(in)-1], size: 50}, binary.BufferSize(size))
				s.Skip(1)
				checkShort("ReadNumbers", binary.ReadNumbers(s, make([]T, 1), len(v)), s.Err())
			}
		}
	}
}

// Numbers are decoded into the capacity of the slice. An impossible count is an error
// and allocates nothing.
func TestNumbersInPlace(t *testing.T) {
	in := binary.AppendNumbers(binary.BE(nil), []uint32{1, 2, 3, 4})
	var array [4]uint32
	d := binary.DecodeBE(in)
	if v := binary.DecodeNumbers(&d, array[:0], 4); &v[0] != &array[0] || array != [4]uint32{1, 2, 3, 4} {
		t.Errorf("DecodeNumbers: %d, %d", v, array)
	}
	large := make([]uint16, 0, 100_000)
	s := binary.NewStreamDecoder[binary.Big](bytes.NewReader(make([]byte, 200_000)))
	if v := binary.ReadNumbers(s, large, 100_000); &v[0] != &large[:1][0] || len(v) != 100_000 {
		t.Error("ReadNumbers made an array though there is one")
	}

	for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt/8 + 1} {
		d := binary.DecodeBE(in)
		v := binary.DecodeNumbers(&d, []float64{7}, n)
		s.Reset(bytes.NewReader(in))
		w := binary.ReadNumbers(s, []float64{7}, n)
		if len(v) != 1 || len(w) != 1 || !errors.Is(d.Err(), binary.ErrOverflow) || !errors.Is(s.Err(), binary.ErrOverflow) {
			t.Errorf("%d numbers: %v, %v", n, d.Err(), s.Err())
		}
	}
}
