package binary

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"strings"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/internal/known"
)

// This file lists the Writers and Readers that are called statically. That saves
// the call through the interface, and it shows to escape analysis that they do
// not keep what they are given, so that it may lie on the stack. To add a type,
// add a line or two to each function of its side. [known] has a *buffer.Buffer.
//
// All of them look for exactly these types. A type that embeds one of them may have
// a Write or Read of its own, and is called by that alone.

// putRare writes the first size bytes of v, in little-endian order, to any Writer.
//
// It does not ask a [bytebuf.Buffer] for its spare memory: one that has lent it
// out copies in String.
func (c *WriteChain) putRare(v uint64, size int) *WriteChain {
	if c.err != nil {
		return c
	}
	var local [8]byte
	var n int
	var err error
	switch w := c.Writer.(type) {
	case *bytes.Buffer:
		n, err = w.Write(lay(v, w.AvailableBuffer(), &local)[:size])
	case *bytebuf.Buffer:
		n, err = w.Write(lay(v, nil, &local)[:size])
	case nil:
		return c.fail(errNoWriter)
	default:
		if f := known.Write; f != nil && f(w, v, size) {
			n = size
			break
		}
		s := c.scratch.acquire()
		binary.LittleEndian.PutUint64(s.field[:], v)
		n, err = w.Write(s.field[:size])
		c.scratch.release(s)
	}
	return c.wrote(n, size, err)
}

// String writes the bytes of s, in one call of the Writer, without a length. The
// buffers of the standard library and of octet, and an *[os.File], are called by
// WriteString; any other Writer gets a copy of s, since it may write to what it is
// given. The copy's memory is kept for the next string, up to 64 KiB.
func (c *WriteChain) String(s string) *WriteChain {
	if c == nil || c.err != nil {
		return c
	}
	// A method WriteString alone says nothing: a type that embeds one of these has
	// it too, although its own Write, which counts, hashes or encrypts, is to be
	// called.
	var n int
	var err error
	switch w := c.Writer.(type) {
	case *bytes.Buffer:
		n, err = w.WriteString(s)
	case *bytebuf.Buffer:
		n, err = w.WriteString(s)
	case *bufio.Writer:
		n, err = w.WriteString(s)
	case *strings.Builder:
		n, err = w.WriteString(s)
	case *os.File:
		n, err = w.WriteString(s)
	case nil:
		return c.fail(errNoWriter)
	default:
		if f := known.WriteString; f != nil && f(w, s) {
			n = len(s)
			break
		}
		mem := c.scratch.acquire()
		p := mem.room(len(s))
		copy(p, s)
		n, err = w.Write(p)
		c.scratch.release(mem)
	}
	return c.wrote(n, len(s), err)
}

// lay puts v into spare, or into local if spare is too small. Where a Writer gets
// its own spare memory back, it has nothing to copy.
func lay(v uint64, spare []byte, local *[8]byte) []byte {
	b := local[:]
	if cap(spare) >= 8 {
		b = spare[:8]
	}
	binary.LittleEndian.PutUint64(b, v)
	return b
}

// spare makes room for n bytes in a Writer that lends out its spare memory, and
// returns an empty slice of that room. For other Writers it returns nil.
func spare(w io.Writer, n int) []byte {
	switch w := w.(type) {
	case *bytes.Buffer:
		w.Grow(n)
		return w.AvailableBuffer()
	}
	return nil
}

// getRare reads size bytes, at most 8, from any Reader, as a number.
func (r *Reader) getRare(size int) (v uint64) {
	if r == nil || r.err != nil {
		return 0
	}
	var local [8]byte
	b, n := local[:], 0
	err := io.EOF
	switch from := r.Reader.(type) {
	case *bytes.Reader:
		n, _ = from.Read(local[:size])
	case *bytes.Buffer:
		b = from.Next(size)
		n = len(b)
	case *bytebuf.Buffer:
		n, _ = from.Read(local[:size])
	case *bufio.Reader:
		if b, err = from.Peek(size); len(b) < size {
			n, _ = from.Discard(len(b))
			break
		}
		// Not all by Discard: UnreadByte works only after a read.
		n = size
		from.Discard(size - 1)
		from.ReadByte()
	default:
		if f := known.Next; f != nil {
			var ok bool
			if b, ok = f(from, size); ok {
				n = len(b)
				break
			}
		}
		s := r.scratch.acquire()
		ok := r.fill(s.field[:size])
		v = pick(s.field[:], size)
		r.scratch.release(s)
		if !ok {
			return 0
		}
		r.read += size
		return r.ordered(v, size)
	}
	if n < size {
		r.short(n, err)
		return 0
	}
	r.read += size
	return r.ordered(pick(b, size), size)
}

// ordered returns the number whose bytes in little-endian order are v.
func (r *Reader) ordered(v uint64, size int) uint64 {
	if !is(r.ByteOrder, binary.LittleEndian) {
		return r.reorder(v, size)
	}
	return v
}

// pick returns the first size bytes of b as a number in little-endian order.
// It does not read more than these: a load that spans what two stores wrote is
// slow.
func pick(b []byte, size int) uint64 {
	switch size {
	case 8:
		return binary.LittleEndian.Uint64(b)
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 3:
		return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
	}
	return uint64(b[0])
}
