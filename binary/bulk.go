package binary

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// A Number is a type whose values have the same number of bytes on every machine.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// AppendSlice appends the elements of v to buf, as encoding/binary.Append does, and
// returns the extended buffer. It does not write the number of elements. With an
// [Appender], use [AppendNumbers].
//
// In the machine's byte order it costs as much as copying the memory. In the opposite
// order it costs no more on amd64 with AVX2 and on arm64. It allocates only if buf has
// to grow. Neither buf nor v needs any alignment; they must not overlap.
//
// It panics if order is nil.
func AppendSlice[T Number](buf []byte, order ByteOrder, v []T) []byte {
	at, end := len(buf), len(buf)+len(v)*sizeOf[T]()
	if end > cap(buf) {
		buf = grow(buf, end-at)
	}
	storeSlice(buf[at:end], order, v)
	return buf[:end]
}

// EncodeSlice writes the elements of v to the beginning of buf and returns the number
// of bytes written, as encoding/binary.Encode does. If buf is too short, it writes
// nothing and returns an error that wraps [io.ErrShortBuffer].
//
// It costs as much as [AppendSlice], and allocates only an error. Buf and v must not
// overlap.
//
// It panics if order is nil.
func EncodeSlice[T Number](buf []byte, order ByteOrder, v []T) (int, error) {
	n := len(v) * sizeOf[T]()
	if len(buf) < n {
		return 0, shortBuffer(len(buf), len(v), n)
	}
	storeSlice(buf[:n], order, v)
	return n, nil
}

// DecodeSlice sets all elements of v from the beginning of buf and returns the number
// of bytes read, as encoding/binary.Decode does. Any bytes are valid elements. If buf
// is too short, it leaves v unchanged and returns an error that wraps
// [io.ErrUnexpectedEOF], or [io.EOF] if buf is empty. If the number of elements comes
// from the input, check it against len(buf) before making v; [DecodeNumbers] does that
// with a [Decoder].
//
// It costs as much as [AppendSlice], and allocates only an error. Buf and v must not
// overlap.
//
// It panics if order is nil.
func DecodeSlice[T Number](buf []byte, order ByteOrder, v []T) (int, error) {
	n := len(v) * sizeOf[T]()
	if len(buf) < n {
		return 0, shortInput(len(buf), len(v), n)
	}
	loadSlice(v, order, buf[:n])
	return n, nil
}

// grow is out of line because that leaves AppendSlice more registers.
//
//go:noinline
func grow(buf []byte, n int) []byte { return slices.Grow(buf, n) }

func shortBuffer(have, elements, want int) error {
	return fmt.Errorf("binary: %d elements take %d bytes, the buffer has %d: %w", elements, want, have, io.ErrShortBuffer)
}

func shortInput(have, elements, want int) error {
	err := io.ErrUnexpectedEOF
	if have == 0 {
		err = io.EOF
	}
	return fmt.Errorf("binary: %d elements take %d bytes, the input has %d: %w", elements, want, have, err)
}

// storeRare is storeSlice for byte orders other than LittleEndian and BigEndian.
func storeRare[T Number](dst []byte, order ByteOrder, v []T) {
	switch endianOf(order) {
	case little:
		storeSlice(dst, binary.LittleEndian, v)
	case big:
		storeSlice(dst, binary.BigEndian, v)
	case unset:
		panic("binary: the ByteOrder is nil")
	case unknown:
		size, unit := sizeOf[T](), unitOf[T]()
		each(len(v), size, func(tmp []byte, i, j int) {
			storeSlice(tmp, binary.NativeEndian, v[i:j])
			for at := 0; at < len(tmp); at += unit {
				toOrder(order, tmp[at:at+unit])
			}
			copy(dst[i*size:], tmp)
		})
	}
}

// loadRare is loadSlice for byte orders other than LittleEndian and BigEndian.
func loadRare[T Number](v []T, order ByteOrder, src []byte) {
	switch endianOf(order) {
	case little:
		loadSlice(v, binary.LittleEndian, src)
	case big:
		loadSlice(v, binary.BigEndian, src)
	case unset:
		panic("binary: the ByteOrder is nil")
	case unknown:
		size, unit := sizeOf[T](), unitOf[T]()
		each(len(v), size, func(tmp []byte, i, j int) {
			copy(tmp, src[i*size:])
			for at := 0; at < len(tmp); at += unit {
				fromOrder(order, tmp[at:at+unit])
			}
			loadSlice(v[i:j], binary.NativeEndian, tmp)
		})
	}
}

// piece bounds how much of a slice is converted at a time if its own memory cannot be
// used. Both then fit into a first-level cache.
const piece = 8 << 10

// each divides n elements of size bytes into pieces, and calls do for each piece, the
// elements from i to j, with heap memory of its size. An unknown ByteOrder gets to see
// only this memory, so the caller's may stay on the stack.
func each(n, size int, do func(tmp []byte, i, j int)) {
	most := max(1, min(n, piece/size))
	tmp := make([]byte, most*size)
	for i := 0; i < n; i += most {
		j := min(i+most, n)
		do(tmp[:(j-i)*size], i, j)
	}
}

// toOrder converts a number from the machine's byte order to o, in place.
func toOrder(o ByteOrder, b []byte) {
	switch len(b) {
	case 2:
		o.PutUint16(b, binary.NativeEndian.Uint16(b))
	case 4:
		o.PutUint32(b, binary.NativeEndian.Uint32(b))
	case 8:
		o.PutUint64(b, binary.NativeEndian.Uint64(b))
	}
}

// fromOrder is the inverse of toOrder.
func fromOrder(o ByteOrder, b []byte) {
	switch len(b) {
	case 2:
		binary.NativeEndian.PutUint16(b, o.Uint16(b))
	case 4:
		binary.NativeEndian.PutUint32(b, o.Uint32(b))
	case 8:
		binary.NativeEndian.PutUint64(b, o.Uint64(b))
	}
}
