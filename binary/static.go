package binary

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// This file lists the Writers and Readers that are called statically. That saves
// the call through the interface, and it shows to escape analysis that they do
// not keep what they are given, so that it may lie on the stack. To add a type,
// add a line or two to each function of its side.

// knownWriter reports whether writeStatic and spare know w. It is inlined, and
// compares one pointer for each type.
func knownWriter(w io.Writer) bool {
	_, ok := w.(*bytes.Buffer)
	return ok
}

// writeStatic writes the first size bytes of v, in little-endian order, to a
// known Writer.
func writeStatic(w io.Writer, v uint64, size int) (n int, err error) {
	var local [8]byte
	switch w := w.(type) {
	case *bytes.Buffer:
		return w.Write(lay(v, w.AvailableBuffer(), &local)[:size])
	}
	return 0, nil
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

// spare makes room for n bytes in a known Writer and returns an empty slice of
// that room. For other Writers it returns nil.
func spare(w io.Writer, n int) []byte {
	switch w := w.(type) {
	case *bytes.Buffer:
		w.Grow(n)
		return w.AvailableBuffer()
	}
	return nil
}

// knownReader reports whether readStatic knows r.
func knownReader(r io.Reader) bool {
	switch r.(type) {
	case *bytes.Reader, *bytes.Buffer, *bufio.Reader:
		return true
	}
	return false
}

// readStatic reads size bytes, at most 8, from a known Reader. It returns their
// value in little-endian order; or, if there are less, takes what there is and
// returns how much that was and why.
func readStatic(r io.Reader, size int) (v uint64, n int, err error) {
	switch r := r.(type) {
	case *bytes.Reader:
		var b [8]byte
		n, err = r.Read(b[:size])
		return pick(b[:], size), n, err
	case *bytes.Buffer:
		b := r.Next(size)
		if len(b) < size {
			return 0, len(b), io.EOF
		}
		return pick(b, size), size, nil
	case *bufio.Reader:
		b, err := r.Peek(size)
		if n = len(b); n == size {
			v = pick(b, size)
		}
		if n > 0 {
			// Not all by Discard: UnreadByte works only after a read.
			r.Discard(n - 1)
			r.ReadByte()
		}
		return v, n, err
	}
	return 0, 0, nil
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
