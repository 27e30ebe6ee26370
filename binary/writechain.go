package binary

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
)

// A WriteChain writes numbers, byte slices and strings to an [io.Writer], one call
// a field, in a row that can be written as one expression:
//
//	n, err := c.Uint16(magic).Uint32(length).ByteSlice(data).End()
//
// It is exact. When a method returns, the bytes of the field are in the Writer;
// nothing is held back, and there is nothing to flush. The first error sticks:
// the methods after it do nothing, and [WriteChain.End] reports it.
//
// A WriteChain is plain data. The zero value is ready once Writer and ByteOrder
// are set; both may be changed between fields. It may be embedded and copied: a
// copy goes on from the count and the error of the original and shares nothing
// but the Writer with it. It must not be used by two goroutines at once.
//
// A WriteChain that is used again does not allocate, nor does a fresh one whose
// Writer is a *[bytes.Buffer]. Any other Writer may keep or share what it is
// given until it returns, so the bytes must be on the heap: the first field
// allocates once.
//
// On a nil *WriteChain, Write and End report an error and the other methods do
// nothing.
type WriteChain struct {
	Writer    io.Writer
	ByteOrder ByteOrder

	written int   // since the last End
	err     error // the first since the last End
	scratch scratchRef
}

var (
	errNilChain     = errors.New("binary: the *WriteChain is nil")
	errNoWriter     = errors.New("binary: the WriteChain has no Writer")
	errNoWriteOrder = errors.New("binary: the WriteChain has no ByteOrder")
	errInvalidWrite = errors.New("binary: the Writer returned an impossible count")
)

// End returns how many bytes went to the Writer since the last End, and the first
// error since then, and clears both. The bytes count also where an error came
// after them.
//
// The error is the Writer's own, or [io.ErrShortWrite] if the Writer took less
// than it was given and did not say why.
func (c *WriteChain) End() (int, error) {
	if c == nil {
		return -1, errNilChain
	}
	n, err := c.written, c.err
	c.written, c.err = 0, nil
	return n, err
}

// Write hands p to the Writer as it is, and counts: a WriteChain is an [io.Writer].
// Its error sticks as that of any field does; after an error, Write returns that
// error.
func (c *WriteChain) Write(p []byte) (int, error) {
	if c == nil {
		return 0, errNilChain
	}
	if c.err != nil {
		return 0, c.err
	}
	if c.Writer == nil {
		c.err = errNoWriter
		return 0, c.err
	}
	n, err := c.Writer.Write(p)
	return c.count(n, len(p), err)
}

// ByteSlice writes p, in one call of the Writer, without a length.
func (c *WriteChain) ByteSlice(p []byte) *WriteChain {
	c.Write(p)
	return c
}

// String writes the bytes of s, in one call of the Writer, without a length. A
// Writer that has a method WriteString is called by that; any other gets a copy
// of s, since it may write to what it is given. The copy's memory is kept for
// the next string, up to 64 KiB.
func (c *WriteChain) String(s string) *WriteChain {
	if c == nil || c.err != nil {
		return c
	}
	if w, ok := c.Writer.(io.StringWriter); ok {
		n, err := w.WriteString(s)
		c.count(n, len(s), err)
		return c
	}
	mem := c.scratch.acquire()
	p := mem.room(len(s))
	copy(p, s)
	c.Write(p)
	c.scratch.release(mem)
	return c
}

// Bool writes a byte, 1 for true and 0 for false.
func (c *WriteChain) Bool(v bool) *WriteChain {
	var b uint64
	if v {
		b = 1
	}
	return c.put(b, 1)
}

// Byte writes a byte.
func (c *WriteChain) Byte(v byte) *WriteChain { return c.put(uint64(v), 1) }

// Uint8 writes a byte.
func (c *WriteChain) Uint8(v uint8) *WriteChain { return c.put(uint64(v), 1) }

// Uint16 writes two bytes.
func (c *WriteChain) Uint16(v uint16) *WriteChain { return c.put(uint64(v), 2) }

// Uint24 writes three bytes: the lower 24 bits of v.
func (c *WriteChain) Uint24(v uint32) *WriteChain { return c.put(uint64(v), 3) }

// Uint32 writes four bytes.
func (c *WriteChain) Uint32(v uint32) *WriteChain { return c.put(uint64(v), 4) }

// Uint64 writes eight bytes.
func (c *WriteChain) Uint64(v uint64) *WriteChain { return c.put(v, 8) }

// Int8 writes a byte.
func (c *WriteChain) Int8(v int8) *WriteChain { return c.put(uint64(v), 1) }

// Int16 writes two bytes.
func (c *WriteChain) Int16(v int16) *WriteChain { return c.put(uint64(v), 2) }

// Int32 writes four bytes.
func (c *WriteChain) Int32(v int32) *WriteChain { return c.put(uint64(v), 4) }

// Int64 writes eight bytes.
func (c *WriteChain) Int64(v int64) *WriteChain { return c.put(uint64(v), 8) }

// Rune writes four bytes, as [WriteChain.Int32] does. It is no UTF-8.
func (c *WriteChain) Rune(v rune) *WriteChain { return c.put(uint64(v), 4) }

// Float32 writes the four bytes of v's IEEE 754 representation.
func (c *WriteChain) Float32(v float32) *WriteChain { return c.put(uint64(math.Float32bits(v)), 4) }

// Float64 writes the eight bytes of v's IEEE 754 representation.
func (c *WriteChain) Float64(v float64) *WriteChain { return c.put(math.Float64bits(v), 8) }

// Complex64 writes the real part and then the imaginary part, each as
// [WriteChain.Float32] does.
func (c *WriteChain) Complex64(v complex64) *WriteChain {
	return c.Float32(real(v)).Float32(imag(v))
}

// Complex128 writes the real part and then the imaginary part, each as
// [WriteChain.Float64] does.
func (c *WriteChain) Complex128(v complex128) *WriteChain {
	return c.Float64(real(v)).Float64(imag(v))
}

// Uvarint writes v in as many bytes as it needs, one to ten, in the encoding of
// [binary.PutUvarint]. The ByteOrder does not matter.
func (c *WriteChain) Uvarint(v uint64) *WriteChain {
	if v < 1<<7 {
		return c.put(v, 1)
	}
	if c == nil || c.err != nil {
		return c
	}
	if knownWriter(c.Writer) {
		n := (bits.Len64(v) + 6) / 7
		c.Write(binary.AppendUvarint(spare(c.Writer, n), v))
		return c
	}
	s := c.scratch.acquire()
	c.Write(binary.AppendUvarint(s.field[:0], v))
	c.scratch.release(s)
	return c
}

// Varint writes v in as many bytes as it needs, one to ten, in the encoding of
// [binary.PutVarint], in which small negative numbers are short, too.
func (c *WriteChain) Varint(v int64) *WriteChain {
	return c.Uvarint(uint64(v)<<1 ^ uint64(v>>63))
}

// put writes the lower size bytes of v. It is the one body of all fixed widths:
// everything small around it is inlined into its callers.
func (c *WriteChain) put(v uint64, size int) *WriteChain {
	if c == nil || c.err != nil {
		return c
	}
	if !is(c.ByteOrder, binary.LittleEndian) {
		if is(c.ByteOrder, binary.BigEndian) {
			v = reverseLow(v, size)
		} else if v = c.reorder(v, size); c.err != nil {
			return c
		}
	}
	var n int
	var err error
	if knownWriter(c.Writer) {
		n, err = writeStatic(c.Writer, v, size)
	} else {
		if c.Writer == nil {
			c.err = errNoWriter
			return c
		}
		s := c.scratch.acquire()
		binary.LittleEndian.PutUint64(s.field[:], v)
		n, err = c.Writer.Write(s.field[:size])
		c.scratch.release(s)
	}
	if n != size || err != nil {
		c.count(n, size, err)
		return c
	}
	c.written += n
	return c
}

// reorder returns the number whose bytes in little-endian order are those of v in
// an order that is neither that nor big-endian.
func (c *WriteChain) reorder(v uint64, size int) uint64 {
	switch endianOf(c.ByteOrder) {
	case big: // the machine's
		return reverseLow(v, size)
	case unset:
		if size > 1 {
			c.err = errNoWriteOrder
		}
	case unknown:
		s := c.scratch.acquire()
		v = toUnknown(c.ByteOrder, v, size, &s.field)
		c.scratch.release(s)
	}
	return v
}

// count takes the outcome of a write of size bytes into account.
func (c *WriteChain) count(n, size int, err error) (int, error) {
	if n < 0 || n > size {
		n = 0
		if err == nil {
			err = errInvalidWrite
		}
	}
	if n < size && err == nil {
		err = io.ErrShortWrite
	}
	c.written += n
	c.err = err
	return n, err
}
