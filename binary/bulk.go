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

// AppendSlice appends the elements of v to buf, as encoding/binary.Append does,
// and returns the extended buffer. Nothing is written but the elements: a length,
// if the format has one, is up to the caller.
//
// In the order of the machine it costs as much as copying memory, and in the
// opposite order not more on amd64 with AVX2 and on arm64. It allocates only to
// let buf grow. Neither buf nor v needs any alignment; they must not overlap.
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

// EncodeSlice writes the elements of v to the beginning of buf and returns how
// many bytes they took, as encoding/binary.Encode does. If buf is too short it
// writes nothing and returns an error that wraps [io.ErrShortBuffer].
//
// It costs what [AppendSlice] costs, and never allocates otherwise. Buf and v
// must not overlap.
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

// DecodeSlice sets the elements of v from the beginning of buf and returns how
// many bytes they took, as encoding/binary.Decode does. Any bytes are valid
// elements. If buf is too short it leaves v alone and returns an error that wraps
// [io.ErrUnexpectedEOF], or [io.EOF] if buf is empty.
//
// It costs what [AppendSlice] costs and allocates nothing: a caller that takes
// the number of elements from its input compares it with the input's length
// before making v. Buf and v must not overlap.
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

// WriteSlice writes the elements of v by way of c: in c's order, without a length,
// and under the rules of all fields of a [WriteChain].
//
// In the order of the machine, and to a *[bytes.Buffer], that is one call of the
// Writer. In the opposite order any other Writer is called for every 8 KiB, with
// memory of c's. A Writer to which each call is a message of its own gets whole
// messages from [AppendSlice] and [WriteChain.ByteSlice].
func WriteSlice[T Number](c *WriteChain, v []T) *WriteChain {
	if c == nil || c.err != nil || len(v) == 0 {
		return c
	}
	size, order := sizeOf[T](), sliceOrder[T](c.ByteOrder)
	if order == nil {
		return c.fail(errNoWriteOrder)
	}
	if b, ok := view(v); ok && endianOf(order) == host {
		return c.ByteSlice(b)
	}
	n := len(v) * size
	if b := spare(c.Writer, n); b != nil {
		storeSlice(b[:n], order, v)
		return c.ByteSlice(b[:n])
	}
	s := c.scratch.acquire()
	for len(v) > 0 && c.err == nil {
		k := min(len(v), piece/size)
		b := s.room(k * size)
		storeSlice(b, order, v[:k])
		c.Write(b)
		v = v[k:]
	}
	c.scratch.release(s)
	return c
}

// ReadSlice sets the elements of v by way of r: in r's order, and under the rules
// of all fields of a [Reader]. It returns how many elements it has read; if that
// is less than len(v), r has failed, and the others are zero.
//
// The io.Reader reads into v's own memory, where the elements then are brought
// into the order of the machine.
func ReadSlice[T Number](r *Reader, v []T) int {
	if r.check() != nil {
		clear(v)
		return 0
	}
	if len(v) == 0 {
		return 0
	}
	size, order := sizeOf[T](), sliceOrder[T](r.ByteOrder)
	if order == nil {
		r.err = errNoReadOrder
		clear(v)
		return 0
	}
	n, before := 0, r.read
	if b, ok := view(v); ok {
		if r.fill(b) {
			r.read += len(b)
		}
		n = (r.read - before) / size
		loadSlice(v[:n], order, b[:n*size])
	} else {
		s := r.scratch.acquire()
		for n < len(v) && r.err == nil {
			b := s.room(min(len(v)-n, piece/size) * size)
			if r.fill(b) {
				r.read += len(b)
			}
			whole := (r.read-before)/size - n
			loadSlice(v[n:n+whole], order, b[:whole*size])
			n += whole
		}
		r.scratch.release(s)
		if n > 0 {
			r.insideField()
		}
	}
	clear(v[n:])
	return n
}

// sliceOrder is the order for elements of a type: single bytes need none.
func sliceOrder[T Number](o ByteOrder) ByteOrder {
	if sizeOf[T]() == 1 {
		return binary.NativeEndian
	}
	return o
}

// grow is apart so that AppendSlice has less to keep track of.
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

// storeRare is storeSlice for other orders than LittleEndian and BigEndian.
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

// loadRare is loadSlice for other orders than LittleEndian and BigEndian.
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

// each cuts n elements of size bytes into pieces, and calls do for the elements
// from i to j with heap memory of their size. What a ByteOrder of somebody else
// gets to see is this memory, so that the caller's may stay on the stack.
func each(n, size int, do func(tmp []byte, i, j int)) {
	most := max(1, min(n, piece/size))
	tmp := make([]byte, most*size)
	for i := 0; i < n; i += most {
		j := min(i+most, n)
		do(tmp[:(j-i)*size], i, j)
	}
}

// toOrder brings a number from the machine's order into another, in place.
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

// fromOrder undoes what toOrder does.
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
