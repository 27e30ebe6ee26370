package binary

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"
)

// A WriteChain writes numbers, byte slices and strings to an [io.Writer], with one call
// of the Writer per field:
//
//	n, err := c.Uint16(magic).Uint32(length).ByteSlice(data).End()
//
// When a method returns, the bytes of the field are in the Writer. Nothing is buffered,
// so there is no Flush. The first error sticks: later methods do nothing, and
// [WriteChain.End] returns the error.
//
// The zero value is ready to use once Writer and ByteOrder are set. Both may be changed
// between fields. A WriteChain may be embedded and copied. A copy starts with the count
// and the error of the original and then shares only the Writer with it. A WriteChain
// must not be used by several goroutines at once.
//
// The first field allocates once, because the Writer may share what it is given with
// other goroutines until it returns. Later fields do not allocate, nor does the first
// one if the Writer is a *[bytes.Buffer] or a *[bytebuf.Buffer].
//
// On a nil *WriteChain, Write and End return an error, and the other methods do
// nothing.
type WriteChain struct {
	scratch scratchRef // first, so that its address need not be computed

	Writer    io.Writer
	ByteOrder binary.ByteOrder

	written int   // since the last End
	err     error // the first since the last End; set by fail
}

var (
	errNilChain     = errors.New("binary: the *WriteChain is nil")
	errNoWriter     = errors.New("binary: the WriteChain has no Writer")
	errNoWriteOrder = errors.New("binary: the WriteChain has no ByteOrder")
	errInvalidWrite = errors.New("binary: the Writer returned an impossible count")
)

// End returns the number of bytes written since the last End, and the first error since
// then, and clears both. The number includes bytes that were written before an error.
//
// The error is that of the Writer, or [io.ErrShortWrite] if the Writer took too few
// bytes without an error.
func (c *WriteChain) End() (int, error) {
	if c == nil {
		return -1, errNilChain
	}
	n, err := c.written, c.err
	c.written = 0
	if err != nil {
		c.err = nil
	}
	return n, err
}

// Write passes p to the Writer and counts the bytes written, so that a WriteChain is an
// [io.Writer]. An error sticks, and Write returns it again if it is called after one.
func (c *WriteChain) Write(p []byte) (int, error) {
	if c == nil {
		return 0, errNilChain
	}
	if c.err != nil {
		return 0, c.err
	}
	before := c.written
	c.ByteSlice(p)
	return c.written - before, c.err
}

// ByteSlice writes p, in one call of the Writer, without a length.
func (c *WriteChain) ByteSlice(p []byte) *WriteChain {
	if c == nil || c.err != nil {
		return c
	}
	if c.Writer == nil {
		return c.fail(errNoWriter)
	}
	n, err := c.Writer.Write(slices.Clip(p))
	return c.wrote(n, len(p), err)
}

// Bool writes a byte, 1 for true and 0 for false.
func (c *WriteChain) Bool(v bool) *WriteChain {
	var b uint64
	if v {
		b = 1
	}
	return c.put8(uint8(b))
}

// Byte writes a byte.
func (c *WriteChain) Byte(v byte) *WriteChain { return c.put8(uint8(v)) }

// Uint8 writes a byte.
func (c *WriteChain) Uint8(v uint8) *WriteChain { return c.put8(uint8(v)) }

// Uint16 writes two bytes.
func (c *WriteChain) Uint16(v uint16) *WriteChain { return c.put16(uint16(v)) }

// Uint32 writes four bytes.
func (c *WriteChain) Uint32(v uint32) *WriteChain { return c.put32(uint32(v)) }

// Uint64 writes eight bytes.
func (c *WriteChain) Uint64(v uint64) *WriteChain { return c.put64(uint64(v)) }

// Int8 writes a byte.
func (c *WriteChain) Int8(v int8) *WriteChain { return c.put8(uint8(v)) }

// Int16 writes two bytes.
func (c *WriteChain) Int16(v int16) *WriteChain { return c.put16(uint16(v)) }

// Int32 writes four bytes.
func (c *WriteChain) Int32(v int32) *WriteChain { return c.put32(uint32(v)) }

// Int64 writes eight bytes.
func (c *WriteChain) Int64(v int64) *WriteChain { return c.put64(uint64(v)) }

// Rune writes four bytes, as [WriteChain.Int32] does, and not in UTF-8.
func (c *WriteChain) Rune(v rune) *WriteChain { return c.put32(uint32(v)) }

// Float32 writes the four bytes of v's IEEE 754 representation.
func (c *WriteChain) Float32(v float32) *WriteChain { return c.put32(uint32(math.Float32bits(v))) }

// Float64 writes the eight bytes of v's IEEE 754 representation.
func (c *WriteChain) Float64(v float64) *WriteChain { return c.put64(uint64(math.Float64bits(v))) }

// Complex64 writes the real part and then the imaginary part, each by
// [WriteChain.Float32].
func (c *WriteChain) Complex64(v complex64) *WriteChain {
	return c.Float32(real(v)).Float32(imag(v))
}

// Complex128 writes the real part and then the imaginary part, each by
// [WriteChain.Float64].
func (c *WriteChain) Complex128(v complex128) *WriteChain {
	return c.Float64(real(v)).Float64(imag(v))
}

// There is one function for each width, and the methods above are inlined into their
// callers. (One function with the size as an argument was a tenth slower, and so was
// one with a type parameter.)
//
// Each handles the usual case in a straight line: a Writer that is not called
// statically, after the first write. In all other cases the scratch is not ready, and
// putRare takes over: if the Writer is called statically or is nil, if the chain has
// failed, and for the first write of a chain or of a copy.

func (c *WriteChain) put8(v uint8) *WriteChain {
	if c == nil {
		return nil
	}
	if !c.scratch.ready() {
		return c.putRare(uint64(v), 1)
	}
	s := c.scratch.take()
	s.field[0] = v
	n, err := c.Writer.Write(s.field[:1:1])
	c.scratch.release(s)
	return c.wrote(n, 1, err)
}

func (c *WriteChain) put16(v uint16) *WriteChain {
	if c == nil {
		return nil
	}
	if !is(c.ByteOrder, binary.LittleEndian) {
		if is(c.ByteOrder, binary.BigEndian) {
			v = bits.ReverseBytes16(v)
		} else {
			v = uint16(c.reorder(uint64(v), 2))
		}
	}
	if !c.scratch.ready() {
		return c.putRare(uint64(v), 2)
	}
	s := c.scratch.take()
	binary.LittleEndian.PutUint16(s.field[:], v)
	n, err := c.Writer.Write(s.field[:2:2])
	c.scratch.release(s)
	return c.wrote(n, 2, err)
}

func (c *WriteChain) put32(v uint32) *WriteChain {
	if c == nil {
		return nil
	}
	if !is(c.ByteOrder, binary.LittleEndian) {
		if is(c.ByteOrder, binary.BigEndian) {
			v = bits.ReverseBytes32(v)
		} else {
			v = uint32(c.reorder(uint64(v), 4))
		}
	}
	if !c.scratch.ready() {
		return c.putRare(uint64(v), 4)
	}
	s := c.scratch.take()
	binary.LittleEndian.PutUint32(s.field[:], v)
	n, err := c.Writer.Write(s.field[:4:4])
	c.scratch.release(s)
	return c.wrote(n, 4, err)
}

func (c *WriteChain) put64(v uint64) *WriteChain {
	if c == nil {
		return nil
	}
	if !is(c.ByteOrder, binary.LittleEndian) {
		if is(c.ByteOrder, binary.BigEndian) {
			v = bits.ReverseBytes64(v)
		} else {
			v = uint64(c.reorder(uint64(v), 8))
		}
	}
	if !c.scratch.ready() {
		return c.putRare(uint64(v), 8)
	}
	s := c.scratch.take()
	binary.LittleEndian.PutUint64(s.field[:], v)
	n, err := c.Writer.Write(s.field[:8:8])
	c.scratch.release(s)
	return c.wrote(n, 8, err)
}

// reorder returns the number whose bytes in little-endian order are those of v in c's
// order, which is neither little- nor big-endian by type.
func (c *WriteChain) reorder(v uint64, size int) uint64 {
	switch endianOf(c.ByteOrder) {
	case big: // the machine's
		return reverseLow(v, size)
	case unset:
		c.fail(errNoWriteOrder)
	case unknown:
		if c.err == nil {
			s := c.scratch.acquire()
			v = toUnknown(c.ByteOrder, v, size, &s.field)
			c.scratch.release(s)
		}
	}
	return v
}

// wrote counts n of size bytes as written and notes err.
func (c *WriteChain) wrote(n, size int, err error) *WriteChain {
	if n == size && err == nil {
		c.written += size
		return c
	}
	return c.failed(n, size, err)
}

// failed is wrote for fewer than size bytes, or an error.
//
//go:noinline
func (c *WriteChain) failed(n, size int, err error) *WriteChain {
	if 0 <= n && n <= size {
		c.written += n
	} else if err == nil {
		err = errInvalidWrite
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	return c.fail(err)
}

// fail notes err if it is the first error.
func (c *WriteChain) fail(err error) *WriteChain {
	if c.err == nil {
		c.err = err
		c.scratch.block()
	}
	return c
}
