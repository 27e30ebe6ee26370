package binary

import (
	"math"
	"slices"
)

// Slices of numbers for an Appender, a Decoder and the streams, in their byte order.
// These are functions because methods cannot have type parameters in the oldest Go
// release that octet supports.

// A Number is a type whose values have the same number of bytes on every machine.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// AppendNumbers appends the elements of v to b, in b's byte order. It does not write
// their number:
//
//	b = binary.AppendNumbers(binary.LE(b).Uint32(uint32(len(v))), v)
//
// In the machine's byte order it costs as much as copying the memory. In the opposite
// order it costs no more on amd64 with AVX2 and on arm64. It allocates only if b has to
// grow. Neither b nor v needs any alignment; they must not overlap.
func AppendNumbers[O Order, T Number](b Appender[O], v []T) Appender[O] {
	at, end := len(b), len(b)+len(v)*sizeOf[T]()
	if end > cap(b) {
		b = grow(b, end-at)
	}
	storeSlice[O](b[at:end], v)
	return b[:end]
}

// grow is out of line because that leaves AppendNumbers more registers.
//
//go:noinline
func grow(b []byte, n int) []byte { return slices.Grow(b, n) }

// DecodeNumbers reads n numbers in d's byte order, appends them to dst, and returns the
// result. If the input has fewer, d fails and DecodeNumbers returns dst. It allocates
// nothing before it knows that the input has n numbers, so n may come from the input:
//
//	v = binary.DecodeNumbers(&d, v[:0], int(d.Uint32()))
//
// It costs as much as [AppendNumbers], and allocates only if dst has to grow. The input
// and dst must not overlap.
func DecodeNumbers[O Order, T Number](d *Decoder[O], dst []T, n int) []T {
	size, ok := bytesOf[T](n)
	if !ok {
		d.Fail(ErrOverflow)
		return dst
	}
	return appendNumbers[O](dst, d.Bytes(size))
}

// WriteNumbers encodes the elements of v in e's byte order. It does not write their
// number. If the order is that of the machine, and v is larger than the buffer, v is
// not copied but passed to the Writer.
func WriteNumbers[O Order, T Number](e *StreamEncoder[O], v []T) *StreamEncoder[O] {
	if b, ok := view(v); ok && isNative[O]() {
		return e.Bytes(b)
	}
	size := sizeOf[T]()
	for len(v) > 0 && e.err == nil {
		n := len(v)
		if e.open == 0 {
			n = min(n, (e.size-len(e.buf))/size)
		}
		if n == 0 {
			e.flush()
			continue
		}
		e.put(AppendNumbers(Appender[O](e.buf), v[:n]))
		v = v[n:]
	}
	return e
}

// ReadNumbers reads n numbers in s's byte order, appends them to dst, and returns the
// result. If the stream has fewer, s fails and ReadNumbers returns dst. Dst grows in
// proportion to what has arrived, so n may come from the stream. Numbers for which the
// buffer has no room are read directly into dst.
func ReadNumbers[O Order, T Number](s *StreamDecoder[O], dst []T, n int) []T {
	size, ok := bytesOf[T](n)
	if !ok {
		s.Fail(ErrOverflow)
		return dst
	}
	if size <= len(s.buf) || len(s.holds) > 0 {
		return appendNumbers[O](dst, s.Bytes(size))
	}
	at, start := s.Offset(), len(dst)
	if !s.within(size) {
		return dst
	}
	for left := n; left > 0 && s.d.ok(); {
		k := min(left, max(len(dst)-start, s.size/sizeOf[T]()))
		dst = slices.Grow(dst, k)[:len(dst)+k]
		v := dst[len(dst)-k:]
		b, ok := view(v)
		if !ok {
			b = make([]byte, k*sizeOf[T]())
		}
		s.Copy(b)
		loadSlice[O](v, b)
		left -= k
	}
	if s.whole(at, size); !s.d.ok() {
		return dst[:start]
	}
	return dst
}

// appendNumbers appends all numbers in p to dst.
func appendNumbers[O Order, T Number](dst []T, p []byte) []T {
	n := len(p) / sizeOf[T]()
	dst = slices.Grow(dst, n)[:len(dst)+n]
	loadSlice[O](dst[len(dst)-n:], p)
	return dst
}

// bytesOf returns the size of n elements in bytes, or n if it is negative. It reports
// whether the size is not too large.
func bytesOf[T Number](n int) (int, bool) {
	size := sizeOf[T]()
	if n < 0 {
		return n, true
	}
	return n * size, n <= math.MaxInt/size
}
