package binary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
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
	errReadCount   = errors.New("the io.Reader returned an impossible count")
	errInvalidRead = fmt.Errorf("binary: %w", errReadCount)
	errLongVarint  = fmt.Errorf("binary: varint of more than 64 bits: %w", ErrOverflow)
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
	if err := r.check(); err != nil {
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
	if err := r.check(); err != nil {
		return 0, err
	}
	b := r.Byte()
	return b, r.err
}

// check returns why there is nothing to read from, and makes it stick.
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

// Uint24 reads three bytes.
func (r *Reader) Uint24() uint32 { return uint32(r.getRare(3)) }

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

// Rune reads four bytes, as [Reader.Int32] does. It is no UTF-8.
func (r *Reader) Rune() rune { return rune(r.get32()) }

// Float32 reads the four bytes of a number's IEEE 754 representation.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.get32()) }

// Float64 reads the eight bytes of a number's IEEE 754 representation.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.get64()) }

// Complex64 reads a real part and then an imaginary part, each as
// [Reader.Float32] does.
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

// Complex128 reads a real part and then an imaginary part, each as
// [Reader.Float64] does.
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

// Uvarint reads a number in the encoding of [binary.PutUvarint], which may be
// longer than it need be. The tenth byte, if it comes to that, is the last: if
// the number goes on, or does not fit in 64 bits, the error is [ErrOverflow].
func (r *Reader) Uvarint() uint64 {
	var v uint64
	for i := range binary.MaxVarintLen64 {
		b := r.get8()
		if r == nil || r.err != nil {
			if i > 0 {
				r.insideField()
			}
			return 0
		}
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break
		}
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return v
		}
	}
	r.err = errLongVarint
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

// The bodies of all fixed widths, one each; see those of [WriteChain]. The usual
// cases, a *bytes.Reader and an unknown io.Reader that was read from before, are
// here in a straight line. Everything else is not ready, and goes to getRare.

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
		if n, err := r.Reader.Read(s.field[:1]); n != 1 && !r.fillOn(s.field[:1], n, err) {
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
		if n, err := r.Reader.Read(s.field[:2]); n != 2 && !r.fillOn(s.field[:2], n, err) {
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
		if n, err := r.Reader.Read(s.field[:4]); n != 4 && !r.fillOn(s.field[:4], n, err) {
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
		if n, err := r.Reader.Read(s.field[:8]); n != 8 && !r.fillOn(s.field[:8], n, err) {
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

// reorder returns the number that v is, whose bytes in an order that is neither
// little- nor big-endian were taken for little-endian.
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

// fill reads all of p, as one field, and reports whether it could. The caller
// counts the bytes if so.
func (r *Reader) fill(p []byte) bool {
	if r.Reader == nil {
		r.err = errNoReader
		return false
	}
	n, err := r.Reader.Read(p)
	return n == len(p) || r.fillOn(p, n, err)
}

// fillOn is fill after a first Read that brought n bytes of p and err. A Reader
// that again and again brings neither bytes nor an error is given up.
func (r *Reader) fillOn(p []byte, n int, err error) bool {
	at := 0
	for idle := 0; ; n, err = r.Reader.Read(p[at:]) {
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

// maxIdle is how often in a row a Reader may bring nothing; bufio has the same.
const maxIdle = 100

// short takes into account that of a field only n bytes were there, and why.
//
//go:noinline
func (r *Reader) short(n int, err error) {
	r.read += n
	r.err = err
	if n > 0 {
		r.insideField()
	}
}
