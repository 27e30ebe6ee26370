package binary

import (
	"encoding/binary"
	"math"
	"slices"
)

// Slices of numbers for an Appender, a Decoder and the streams, in their order. They
// are functions because methods have no type parameters in the oldest Go release
// that octet supports.

// AppendNumbers appends the elements of v to b, in b's order and without a length:
//
//	b = binary.AppendNumbers(binary.LE(b).Uint32(uint32(len(v))), v)
//
// It costs what [AppendSlice] costs. V and the array of b must not overlap.
func AppendNumbers[O Order, T Number](b Appender[O], v []T) Appender[O] {
	return AppendSlice(b, orderOf[O](), v)
}

// DecodeNumbers appends the next n numbers that d reads to dst, in d's order. If
// there are fewer, it returns dst as it is, and d has failed. So a count may come
// from the input itself: dst grows only after as many numbers were found.
//
//	v = binary.DecodeNumbers(&d, v[:0], int(d.Uint32()))
//
// It costs what [DecodeSlice] costs, and allocates only to let dst grow.
func DecodeNumbers[O Order, T Number](d *Decoder[O], dst []T, n int) []T {
	return appendNumbers(dst, d.Bytes(bytesOf[T](n)), orderOf[O]())
}

// WriteNumbers encodes the elements of v, in e's order and without a length. In the
// order of the machine they are handed to the Writer as they are, if they do not fit
// into the buffer.
func WriteNumbers[O Order, T Number](e *StreamEncoder[O], v []T) *StreamEncoder[O] {
	order := orderOf[O]()
	if b, ok := view(v); ok && endianOf(order) == host {
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
		e.put(AppendSlice(e.buf, order, v[:n]))
		v = v[n:]
	}
	return e
}

// ReadNumbers appends the next n numbers that s reads to dst, in s's order. If there
// are fewer, it returns dst as it is, and s has failed. A count may come from the
// stream itself: dst grows as the numbers arrive, by as much again as has arrived.
// Where the buffer could not hold them, they are read into dst at once.
func ReadNumbers[O Order, T Number](s *StreamDecoder[O], dst []T, n int) []T {
	size, order := bytesOf[T](n), orderOf[O]()
	if size <= len(s.buf) || s.held > 0 {
		return appendNumbers(dst, s.Bytes(size), order)
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
		loadSlice(v, order, b)
		left -= k
	}
	if s.whole(at, size); !s.d.ok() {
		return dst[:start]
	}
	return dst
}

// appendNumbers appends the numbers in p, all of them, to dst.
func appendNumbers[T Number](dst []T, p []byte, order ByteOrder) []T {
	n := len(p) / sizeOf[T]()
	dst = slices.Grow(dst, n)[:len(dst)+n]
	loadSlice(dst[len(dst)-n:], order, p)
	return dst
}

// bytesOf returns how many bytes n elements take, -1 if that is no size.
func bytesOf[T Number](n int) int {
	size := sizeOf[T]()
	if n < 0 || n > math.MaxInt/size {
		return -1
	}
	return n * size
}

// orderOf returns the order that O is.
func orderOf[O Order]() ByteOrder {
	if isBig[O]() {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
