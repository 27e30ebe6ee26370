package binary

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool/buffer"
)

// This file lists the Writers and Readers that are called statically. That saves
// the call through the interface, and it shows to escape analysis that they do
// not keep what they are given, so that it may lie on the stack. To add a type,
// add a line or two to each function of its side.

// writeStatic writes the first size bytes of v, in little-endian order, if it knows
// w.
//
// It does not ask a [bytebuf.Buffer] for its spare memory: one that has lent it
// out copies in String.
func writeStatic(w io.Writer, v uint64, size int) (n int, err error, known bool) {
	var local [8]byte
	switch w := w.(type) {
	case *bytes.Buffer:
		n, err = w.Write(lay(v, w.AvailableBuffer(), &local)[:size])
	case *bytebuf.Buffer:
		n, err = w.Write(lay(v, nil, &local)[:size])
	case *buffer.Buffer:
		n, err = w.Write(lay(v, nil, &local)[:size])
	default:
		return 0, nil, false
	}
	return n, err, true
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

// readStatic reads size bytes, at most 8, if it knows r. It returns their value in
// little-endian order; or, if there are less, takes what there is and returns how
// much that was and why.
func readStatic(r io.Reader, size int) (v uint64, n int, err error, known bool) {
	var local [8]byte
	b := local[:]
	switch r := r.(type) {
	case *bytes.Reader:
		if n, _ = r.Read(local[:size]); n < size {
			return 0, n, io.EOF, true
		}
	case *bytes.Buffer:
		if b = r.Next(size); len(b) < size {
			return 0, len(b), io.EOF, true
		}
		n = size
	case *bytebuf.Buffer:
		if n, _ = r.Read(local[:size]); n < size {
			return 0, n, io.EOF, true
		}
	case *buffer.Buffer:
		if n, _ = r.Read(local[:size]); n < size {
			return 0, n, io.EOF, true
		}
	case *bufio.Reader:
		if b, err = r.Peek(size); len(b) < size {
			n, _ = r.Discard(len(b))
			return 0, n, err, true
		}
		// Not all by Discard: UnreadByte works only after a read.
		n = size
		r.Discard(size - 1)
		r.ReadByte()
	default:
		return 0, 0, nil, false
	}
	return pick(b, size), n, err, true
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
