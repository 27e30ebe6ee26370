package binary

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// A Reader reads numbers from an [io.Reader], one call a field.
//
// It is exact. A method takes the bytes of its field from the io.Reader and not
// one more, so that others can read on from there between the calls. The first
// error sticks: the methods after it take nothing and return zero, and
// [Reader.End] reports it.
//
// A Reader is plain data. The zero value is ready once Reader and ByteOrder are
// set; both may be changed between fields. It may be embedded and copied: a copy
// goes on from the count and the error of the original and shares nothing but the
// io.Reader with it. It must not be used by two goroutines at once.
//
// A Reader that is used again does not allocate, nor does a fresh one on a
// *[bytes.Reader], *[bytes.Buffer] or *[bufio.Reader]. Any other io.Reader may share
// what it is given until it returns, so it must be on the heap: the first field
// allocates once.
//
// On a nil *Reader, Read, ReadByte and End report an error and the other methods
// return zero.
type Reader struct {
	Reader    io.Reader
	ByteOrder ByteOrder

	read    int   // since the last End
	err     error // the first since the last End
	scratch scratchRef
}

var (
	errNilReader   = errors.New("binary: the *Reader is nil")
	errNoReader    = errors.New("binary: the Reader has no Reader to read from")
	errNoReadOrder = errors.New("binary: the Reader has no ByteOrder")
	errInvalidRead = errors.New("binary: the io.Reader returned an impossible count")
	errLongUvarint = errors.New("binary: a varint is longer than 64 bits")
)

// End returns how many bytes came from the io.Reader since the last End, and the
// first error since then, and clears both. The bytes count also where an error
// came after them.
//
// The error is the io.Reader's own, except that input which ends inside a field
// gives [io.ErrUnexpectedEOF]; [io.EOF] says that it ended before one. A field
// that is complete has not failed, whatever came with its last byte.
func (r *Reader) End() (int, error) {
	if r == nil {
		return -1, errNilReader
	}
	n, err := r.read, r.err
	r.read, r.err = 0, nil
	return n, err
}

// Read makes one call of the io.Reader's Read, and counts: a Reader is an
// [io.Reader]. The error sticks, unless it is io.EOF that came with bytes. After
// an error, Read returns that error.
func (r *Reader) Read(p []byte) (int, error) {
	if err := r.ready(); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(p)
	if n < 0 || n > len(p) {
		n, err = 0, errInvalidRead
	}
	r.read += n
	if n == 0 || err != io.EOF {
		r.err = err
	}
	return n, err
}

// ReadByte reads a byte, as [Reader.Byte] does, and returns the error, too: a
// Reader is an [io.ByteReader].
func (r *Reader) ReadByte() (byte, error) {
	if err := r.ready(); err != nil {
		return 0, err
	}
	b := r.Byte()
	return b, r.err
}

// ready returns why there is nothing to read from, and makes it stick.
func (r *Reader) ready() error {
	if r == nil {
		return errNilReader
	}
	if r.Reader == nil && r.err == nil {
		r.err = errNoReader
	}
	return r.err
}

// Bool reads a byte and reports whether it is not zero.
func (r *Reader) Bool() bool { return r.get(1) != 0 }

// Byte reads a byte.
func (r *Reader) Byte() byte { return byte(r.get(1)) }

// Uint8 reads a byte.
func (r *Reader) Uint8() uint8 { return uint8(r.get(1)) }

// Uint16 reads two bytes.
func (r *Reader) Uint16() uint16 { return uint16(r.get(2)) }

// Uint24 reads three bytes.
func (r *Reader) Uint24() uint32 { return uint32(r.get(3)) }

// Uint32 reads four bytes.
func (r *Reader) Uint32() uint32 { return uint32(r.get(4)) }

// Uint64 reads eight bytes.
func (r *Reader) Uint64() uint64 { return r.get(8) }

// Int8 reads a byte.
func (r *Reader) Int8() int8 { return int8(r.get(1)) }

// Int16 reads two bytes.
func (r *Reader) Int16() int16 { return int16(r.get(2)) }

// Int32 reads four bytes.
func (r *Reader) Int32() int32 { return int32(r.get(4)) }

// Int64 reads eight bytes.
func (r *Reader) Int64() int64 { return int64(r.get(8)) }

// Rune reads four bytes, as [Reader.Int32] does. It is no UTF-8.
func (r *Reader) Rune() rune { return rune(r.get(4)) }

// Float32 reads the four bytes of a number's IEEE 754 representation.
func (r *Reader) Float32() float32 { return math.Float32frombits(uint32(r.get(4))) }

// Float64 reads the eight bytes of a number's IEEE 754 representation.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.get(8)) }

// Complex64 reads a real part and then an imaginary part, each as
// [Reader.Float32] does.
func (r *Reader) Complex64() complex64 {
	re, im := r.pair(4)
	return complex(math.Float32frombits(uint32(re)), math.Float32frombits(uint32(im)))
}

// Complex128 reads a real part and then an imaginary part, each as
// [Reader.Float64] does.
func (r *Reader) Complex128() complex128 {
	re, im := r.pair(8)
	return complex(math.Float64frombits(re), math.Float64frombits(im))
}

// pair reads two numbers that are one field.
func (r *Reader) pair(size int) (first, second uint64) {
	first = r.get(size)
	if r == nil || r.err != nil {
		return 0, 0
	}
	second = r.get(size)
	if r.err != nil {
		r.insideField()
		return 0, 0
	}
	return first, second
}

// Uvarint reads a number in the encoding of [binary.PutUvarint], which may be
// longer than it need be. The tenth byte, if it comes to that, is the last: if
// the number goes on, or does not fit in 64 bits, that is an error.
func (r *Reader) Uvarint() uint64 {
	var v uint64
	for i := range binary.MaxVarintLen64 {
		b := r.get(1)
		if r == nil || r.err != nil {
			if i > 0 {
				r.insideField()
			}
			return 0
		}
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break
		}
		v |= b & 0x7f << (7 * i)
		if b < 0x80 {
			return v
		}
	}
	r.err = errLongUvarint
	return 0
}

// Varint reads a number in the encoding of [binary.PutVarint]; see
// [Reader.Uvarint].
func (r *Reader) Varint() int64 {
	v := r.Uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// insideField turns the error of a field's later part into that of the field.
func (r *Reader) insideField() {
	if r.err == io.EOF {
		r.err = io.ErrUnexpectedEOF
	}
}

// get reads size bytes, at most 8, as a number. It is the one body of all fixed
// widths: everything small around it is inlined into its callers.
func (r *Reader) get(size int) (v uint64) {
	if r == nil || r.err != nil {
		return 0
	}
	if r.ByteOrder == nil && size > 1 {
		r.err = errNoReadOrder
		return 0
	}
	if knownReader(r.Reader) {
		var n int
		var err error
		if v, n, err = readStatic(r.Reader, size); n != size {
			r.read += n
			r.fail(n, err)
			return 0
		}
		r.read += size
	} else {
		s := r.scratch.acquire()
		if !r.fill(s.field[:size]) {
			r.scratch.release(s)
			return 0
		}
		v = pick(s.field[:], size)
		r.scratch.release(s)
	}
	if !is(r.ByteOrder, binary.LittleEndian) {
		if is(r.ByteOrder, binary.BigEndian) {
			v = reverseLow(v, size)
		} else {
			v = r.reorder(v, size)
		}
	}
	return v
}

// reorder returns the number that v is, whose bytes in an order that is neither
// little- nor big-endian were taken for little-endian.
func (r *Reader) reorder(v uint64, size int) uint64 {
	switch endianOf(r.ByteOrder) {
	case big: // the machine's
		return reverseLow(v, size)
	case unknown:
		s := r.scratch.acquire()
		v = fromUnknown(r.ByteOrder, v, size, &s.field)
		r.scratch.release(s)
	}
	return v
}

// fill reads all of p, as one field, and reports whether it could.
func (r *Reader) fill(p []byte) bool {
	if r.Reader == nil {
		r.err = errNoReader
		return false
	}
	n, err := r.Reader.Read(p)
	if n != len(p) {
		n, err = r.fillOn(p, n, err)
	}
	r.read += n
	if n < len(p) {
		r.fail(n, err)
		return false
	}
	return true
}

// fillOn goes on where the first Read brought n bytes of p and err. A reader
// that often brings neither bytes nor an error is given up.
func (r *Reader) fillOn(p []byte, n int, err error) (int, error) {
	at := 0
	for idle := 0; ; n, err = r.Reader.Read(p[at:]) {
		if n < 0 || n > len(p)-at {
			return at, errInvalidRead
		}
		if at += n; at == len(p) || err != nil {
			return at, err
		}
		if n > 0 {
			idle = 0
		} else if idle++; idle == maxIdle {
			return at, io.ErrNoProgress
		}
	}
}

// maxIdle is how often in a row a Reader may bring nothing; bufio has the same.
const maxIdle = 100

// fail makes the error of a field stick of which n bytes were there.
func (r *Reader) fail(n int, err error) {
	r.err = err
	if n > 0 {
		r.insideField()
	}
}
