package binary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"
)

// A Reader reads numbers from an [io.Reader], with one call of the io.Reader per field.
//
// A method takes exactly the bytes of its field from the io.Reader, so others can read
// from there between the calls. The first error sticks: later methods read nothing and
// return zero, and [Reader.End] returns the error.
//
// The zero value is ready to use once Reader and ByteOrder are set. Both may be changed
// between fields. A Reader may be embedded and copied. A copy starts with the count and
// the error of the original and then shares only the io.Reader with it. A Reader must
// not be used by several goroutines at once.
//
// The first field allocates once, because the io.Reader may share what it is given with
// other goroutines until it returns. Later fields do not allocate, nor does the first
// one from a *[bytes.Reader], a *[bytes.Buffer], a *[bytebuf.Buffer] or a *[bufio.Reader].
//
// On a nil *Reader, Read and End return an error, and the other methods
// return zero.
type Reader struct {
	Reader    io.Reader
	ByteOrder binary.ByteOrder

	read    int   // since the last End
	err     error // the first since the last End
	scratch scratchRef
}

var (
	errNilReader   = errors.New("binary: the *Reader is nil")
	errNoReader    = errors.New("binary: the Reader has no Reader to read from")
	errNoReadOrder = errors.New("binary: the Reader has no ByteOrder")
	errInvalidRead = errors.New("binary: the io.Reader returned an impossible count")
)

// End returns the number of bytes read since the last End, and the first error since
// then, and clears both. The number includes bytes that were read before an error.
//
// The error is that of the io.Reader, but [io.ErrUnexpectedEOF] if the input ends inside
// a field; [io.EOF] means that it ends before one. An error that comes with the last
// byte of a field is not an error of that field.
func (r *Reader) End() (int, error) {
	if r == nil {
		return -1, errNilReader
	}
	n, err := r.read, r.err
	r.read, r.err = 0, nil
	return n, err
}

// Read calls the io.Reader's Read once and counts the bytes read, so that a Reader is an
// [io.Reader]. An error sticks, unless it is an io.EOF that comes with bytes, and Read
// returns it again if it is called after one.
func (r *Reader) Read(p []byte) (int, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(slices.Clip(p))
	if n < 0 || n > len(p) {
		n, err = 0, errInvalidRead
	}
	r.read += n
	if n == 0 || err != io.EOF {
		r.err = err
	}
	return n, err
}

// check returns the error so far. It is an error if the Reader has no io.Reader.
func (r *Reader) check() error {
	if r == nil {
		return errNilReader
	}
	if r.Reader == nil && r.err == nil {
		r.err = errNoReader
	}
	return r.err
}

// Bool reads a byte and reports whether it is not zero.
func (r *Reader) Bool() bool { return r.get8() != 0 }

// Byte reads a byte.
func (r *Reader) Byte() byte { return r.get8() }

// Uint8 reads a byte.
func (r *Reader) Uint8() uint8 { return r.get8() }

// Uint16 reads two bytes.
func (r *Reader) Uint16() uint16 { return r.get16() }

// Uint32 reads four bytes.
func (r *Reader) Uint32() uint32 { return r.get32() }

// Uint64 reads eight bytes.
func (r *Reader) Uint64() uint64 { return r.get64() }

// Int8 reads a byte.
func (r *Reader) Int8() int8 { return int8(r.get8()) }

// Int16 reads two bytes.
func (r *Reader) Int16() int16 { return int16(r.get16()) }

// Int32 reads four bytes.
func (r *Reader) Int32() int32 { return int32(r.get32()) }

// Int64 reads eight bytes.
func (r *Reader) Int64() int64 { return int64(r.get64()) }

// Rune reads four bytes, as [Reader.Int32] does, and not UTF-8.
func (r *Reader) Rune() rune { return rune(r.get32()) }

// Float32 reads the four bytes of a number's IEEE 754 representation.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.get32()) }

// Float64 reads the eight bytes of a number's IEEE 754 representation.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.get64()) }

// Complex64 reads a real part and then an imaginary part, each as [Reader.Float32]
// does.
func (r *Reader) Complex64() complex64 {
	re := r.Float32()
	if r == nil || r.err != nil {
		return 0
	}
	im := r.Float32()
	if r.err != nil {
		r.insideField()
		return 0
	}
	return complex(re, im)
}

// Complex128 reads a real part and then an imaginary part, each as [Reader.Float64]
// does.
func (r *Reader) Complex128() complex128 {
	re := r.Float64()
	if r == nil || r.err != nil {
		return 0
	}
	im := r.Float64()
	if r.err != nil {
		r.insideField()
		return 0
	}
	return complex(re, im)
}

// insideField corrects the error of a field whose first part was read.
func (r *Reader) insideField() {
	if r.err == io.EOF {
		r.err = io.ErrUnexpectedEOF
	}
}

// There is one function for each width, as for WriteChain. Each handles the usual cases
// in a straight line: a *bytes.Reader, and an io.Reader that is not called statically,
// after the first read. In all other cases the scratch is not ready, and getRare takes
// over.

func (r *Reader) get8() (v uint8) {
	if r == nil || r.err != nil {
		return 0
	}
	if b, ok := r.Reader.(*bytes.Reader); ok {
		var err error
		if v, err = b.ReadByte(); err != nil {
			r.short(0, err)
			return 0
		}
	} else if r.scratch.ready() {
		s := r.scratch.take()
		if n, err := r.Reader.Read(s.field[:1:1]); n != 1 && !r.fillOn(s.field[:1:1], n, err) {
			r.scratch.release(s)
			return 0
		}
		v = s.field[0]
		r.scratch.release(s)
	} else {
		return uint8(r.getRare(1))
	}
	r.read += 1
	return v
}

func (r *Reader) get16() (v uint16) {
	if r == nil || r.err != nil {
		return 0
	}
	if b, ok := r.Reader.(*bytes.Reader); ok {
		var p [2]byte
		if n, _ := b.Read(p[:]); n < 2 {
			r.short(n, io.EOF)
			return 0
		}
		v = binary.LittleEndian.Uint16(p[:])
	} else if r.scratch.ready() {
		s := r.scratch.take()
		if n, err := r.Reader.Read(s.field[:2:2]); n != 2 && !r.fillOn(s.field[:2:2], n, err) {
			r.scratch.release(s)
			return 0
		}
		v = binary.LittleEndian.Uint16(s.field[:])
		r.scratch.release(s)
	} else {
		return uint16(r.getRare(2))
	}
	r.read += 2
	if !is(r.ByteOrder, binary.LittleEndian) {
		if is(r.ByteOrder, binary.BigEndian) {
			return bits.ReverseBytes16(v)
		}
		return uint16(r.reorder(uint64(v), 2))
	}
	return v
}

func (r *Reader) get32() (v uint32) {
	if r == nil || r.err != nil {
		return 0
	}
	if b, ok := r.Reader.(*bytes.Reader); ok {
		var p [4]byte
		if n, _ := b.Read(p[:]); n < 4 {
			r.short(n, io.EOF)
			return 0
		}
		v = binary.LittleEndian.Uint32(p[:])
	} else if r.scratch.ready() {
		s := r.scratch.take()
		if n, err := r.Reader.Read(s.field[:4:4]); n != 4 && !r.fillOn(s.field[:4:4], n, err) {
			r.scratch.release(s)
			return 0
		}
		v = binary.LittleEndian.Uint32(s.field[:])
		r.scratch.release(s)
	} else {
		return uint32(r.getRare(4))
	}
	r.read += 4
	if !is(r.ByteOrder, binary.LittleEndian) {
		if is(r.ByteOrder, binary.BigEndian) {
			return bits.ReverseBytes32(v)
		}
		return uint32(r.reorder(uint64(v), 4))
	}
	return v
}

func (r *Reader) get64() (v uint64) {
	if r == nil || r.err != nil {
		return 0
	}
	if b, ok := r.Reader.(*bytes.Reader); ok {
		var p [8]byte
		if n, _ := b.Read(p[:]); n < 8 {
			r.short(n, io.EOF)
			return 0
		}
		v = binary.LittleEndian.Uint64(p[:])
	} else if r.scratch.ready() {
		s := r.scratch.take()
		if n, err := r.Reader.Read(s.field[:8:8]); n != 8 && !r.fillOn(s.field[:8:8], n, err) {
			r.scratch.release(s)
			return 0
		}
		v = binary.LittleEndian.Uint64(s.field[:])
		r.scratch.release(s)
	} else {
		return uint64(r.getRare(8))
	}
	r.read += 8
	if !is(r.ByteOrder, binary.LittleEndian) {
		if is(r.ByteOrder, binary.BigEndian) {
			return bits.ReverseBytes64(v)
		}
		return uint64(r.reorder(uint64(v), 8))
	}
	return v
}

// reorder returns the number whose bytes in r's order are those of v in little-endian
// order. R's order is not little-endian by type.
func (r *Reader) reorder(v uint64, size int) uint64 {
	switch endianOf(r.ByteOrder) {
	case big: // the machine's
		return reverseLow(v, size)
	case unset:
		if size > 1 {
			r.err = errNoReadOrder
			return 0
		}
	case unknown:
		s := r.scratch.acquire()
		v = fromUnknown(r.ByteOrder, v, size, &s.field)
		r.scratch.release(s)
	}
	return v
}

// fill reads all of p, as one field, and reports whether it could. If so, the caller
// counts the bytes.
func (r *Reader) fill(p []byte) bool {
	if r.Reader == nil {
		r.err = errNoReader
		return false
	}
	n, err := r.Reader.Read(slices.Clip(p))
	return n == len(p) || r.fillOn(p, n, err)
}

// fillOn is fill after a first Read that returned n and err. It gives up if the Reader
// keeps returning neither bytes nor an error.
func (r *Reader) fillOn(p []byte, n int, err error) bool {
	at := 0
	for idle := 0; ; n, err = r.Reader.Read(slices.Clip(p[at:])) {
		if n < 0 || n > len(p)-at {
			n, err = 0, errInvalidRead
		}
		if at += n; at == len(p) {
			return true
		}
		if n > 0 {
			idle = 0
		} else if idle++; idle == maxIdle && err == nil {
			err = io.ErrNoProgress
		}
		if err != nil {
			r.short(at, err)
			return false
		}
	}
}

// maxIdle is how often in a row a Reader may return nothing. Package bufio has the same
// bound.
const maxIdle = 100

// short counts n bytes of a field that is incomplete, and notes why it is.
//
//go:noinline
func (r *Reader) short(n int, err error) {
	r.read += n
	r.err = err
	if n > 0 {
		r.insideField()
	}
}
