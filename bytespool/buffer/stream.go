package buffer

import (
	"fmt"
	"io"
)

const (
	// minRead is the least room that ReadFrom offers its reader, as in
	// bytes.Buffer.
	minRead = 512

	// probeFrom is the capacity from which ReadFrom reads into a slice of its
	// own where B is full, to see whether anything follows, before it moves
	// all to an array of twice the size.
	probeFrom = 16 * minRead

	// maxEmptyReads is how often a reader may return no bytes and no error in
	// a row. Package bufio allows as many.
	maxEmptyReads = 100
)

// ReadFrom appends what r has until [io.EOF], and returns how much that was and
// the error, if it was another one. What was read before an error stays.
//
// A reader that breaks its contract ends it with an error too: [io.ErrNoProgress]
// for one that returns nothing and no error again and again, and one that says
// so for an impossible count. If the content would exceed 2 GiB - 1 the error is
// [ErrTooLarge], and a byte that was read is lost.
//
// The reader is shown memory with old bytes in it.
func (b *Buffer) ReadFrom(r io.Reader) (int64, error) {
	b.last = 0
	var total int64
	for empty := 0; empty < maxEmptyReads; empty++ {
		n, err := b.readOnce(r)
		total += int64(n)
		switch {
		case err == io.EOF:
			return total, nil
		case err != nil:
			return total, err
		case n > 0:
			empty = 0
		}
	}
	return total, io.ErrNoProgress
}

// readOnce calls Read of r once and appends what it read.
func (b *Buffer) readOnce(r io.Reader) (int, error) {
	if b.Available() < minRead {
		if left := maxSize - b.Len(); cap(b.B) >= probeFrom || left < minRead {
			return b.probe(r, min(max(left, 0), minRead))
		}
		b.Guarantee(minRead)
	}
	n, err := readInto(r, b.B[len(b.B):min(cap(b.B), maxSize)])
	b.B = b.B[:len(b.B)+n]
	return n, err
}

// probe is readOnce by way of another slice, for at most n bytes. If n is 0 it
// reads a byte, to see whether there is one too many.
func (b *Buffer) probe(r io.Reader, n int) (int, error) {
	p := b.source().engine
	room := p.New(max(n, 1))
	defer p.Release(room) // the reader may panic
	m, err := readInto(r, room)
	if m > n {
		return 0, ErrTooLarge
	}
	b.Append(room[:m])
	return m, err
}

// readInto reads to p. If the count is impossible, it returns 0 and an error.
func readInto(r io.Reader, p []byte) (int, error) {
	n, err := r.Read(p)
	if uint(n) > uint(len(p)) {
		return 0, fmt.Errorf("buffer: ReadFrom: Read of a %T returned count %d for a slice of %d bytes", r, n, len(p))
	}
	return n, err
}

// WriteTo writes what was not read to w in one call: all of B if nothing was. It
// does not count as reading, so that it may be repeated. A writer that wrote
// less and gave no error is answered with [io.ErrShortWrite], and one that
// returns an impossible count with an error that says so.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	u := b.unread()
	n, err := w.Write(u)
	if uint(n) > uint(len(u)) {
		return 0, fmt.Errorf("buffer: WriteTo: Write of a %T returned count %d for %d bytes", w, n, len(u))
	}
	if n < len(u) && err == nil {
		err = io.ErrShortWrite
	}
	return int64(n), err
}
