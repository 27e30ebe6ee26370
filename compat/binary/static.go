package binary

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/octet-go/octet/bytebuf"
)

// This file lists the Writers and Readers that are called statically. That saves a call
// through an interface. It also shows escape analysis that they do not retain their
// argument, which may then be on the stack. To add a type, add a case to each switch.
//
// The switches match exactly these types. A type that embeds one of them may have its
// own Write or Read, which must be called.

// putRare writes the first size bytes of v, in little-endian order, to any Writer.
//
// It does not write into the spare memory of a [bytebuf.Buffer]: after AvailableBuffer,
// its String would copy.
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
		s := c.scratch.acquire()
		binary.LittleEndian.PutUint64(s.field[:], v)
		n, err = w.Write(s.field[:size:size])
		c.scratch.release(s)
	}
	return c.wrote(n, size, err)
}

// String writes the bytes of s, in one call of the Writer and without a length. For the
// buffers of the standard library, a *[bytebuf.Buffer] and an *[os.File], that is WriteString.
// For any other Writer it is Write, with a copy of s. The memory of the copy is kept
// for the next string if it is not larger than 64 KiB.
func (c *WriteChain) String(s string) *WriteChain {
	if c == nil || c.err != nil {
		return c
	}
	// That a Writer has a method WriteString is not enough. A type that embeds one of
	// these has it as well, but it may count, hash or encrypt in its own Write.
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
		mem := c.scratch.acquire()
		p := mem.room(len(s))
		copy(p, s)
		n, err = w.Write(slices.Clip(p))
		c.scratch.release(mem)
	}
	return c.wrote(n, len(s), err)
}

// lay puts v into spare, or into local if spare is too small, and returns it. A Writer
// that is passed its own spare memory need not copy it far.
func lay(v uint64, spare []byte, local *[8]byte) []byte {
	b := local[:]
	if cap(spare) >= 8 {
		b = spare[:8]
	}
	binary.LittleEndian.PutUint64(b, v)
	return b
}

// getRare reads a number of size bytes, at most 8, from any Reader.
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
		// The last byte is read, and not discarded, so that UnreadByte works.
		n = size
		from.Discard(size - 1)
		from.ReadByte()
	default:
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

// pick returns the first size bytes of b as a number in little-endian order. It does not
// load more bytes than these, because a load that spans two recent stores is slow.
func pick(b []byte, size int) uint64 {
	switch size {
	case 8:
		return binary.LittleEndian.Uint64(b)
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	}
	return uint64(b[0])
}
