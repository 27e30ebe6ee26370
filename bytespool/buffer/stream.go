package buffer

import (
	"fmt"
	"io"
	"slices"
)

const (
	// minRead is the least room that ReadFrom offers its reader, as in
	// bytes.Buffer.
	minRead = 512

	// maxEmptyReads is how often in a row a reader may return no bytes and no
	// error, as in package bufio.
	maxEmptyReads = 100
)

// ReadFrom appends what r returns until [io.EOF]. It returns the number of bytes and
// any error other than io.EOF. What was read before an error stays in the Buffer.
//
// If the Buffer asks for what it grows by (see [Pool.TryGet]), and the limit does not allow it,
// the error is [bytespool.ErrLimit], and the Buffer has all that was read. It asks when it is
// full, before it knows whether more comes.
//
// It also returns an error if r breaks its contract: [io.ErrNoProgress] if r keeps
// returning neither bytes nor an error, and another one if a count is impossible. If
// the content would exceed 2 GiB - 1, the error is [ErrTooLarge], and a byte that was
// read is lost.
//
// The slices that r is given may hold old bytes.
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
	switch left := maxSize - b.Len(); {
	case b.Available() >= minRead || b.asks && b.Available() > 0:
	case b.asks && left >= minRead:
		if err := b.tryGrow(minRead); err != nil {
			return 0, err
		}
	case cap(b.B) >= minRead || left < minRead:
		return b.probe(r, min(max(left, 0), minRead))
	default:
		b.Grow(minRead)
	}
	n, err := readInto(r, b.B[len(b.B):min(cap(b.B), maxSize)])
	b.B = b.B[:len(b.B)+n]
	return n, err
}

// probe is readOnce through another slice, for at most n bytes, to see whether anything
// follows before everything moves to an array of twice the size. If n is 0, it reads a
// byte to see whether there is one too many.
func (b *Buffer) probe(r io.Reader, n int) (int, error) {
	p := b.source().engine
	room := p.New(max(n, 1))
	defer p.Release(room) // the reader may panic
	m, err := readInto(r, room)
	if m > n {
		return 0, ErrTooLarge
	}
	write(b, room[:m], (*Buffer).appendSlow) // without asking
	return m, err
}

// readInto calls Read of r. If the count is impossible, it returns 0 and an error.
func readInto(r io.Reader, p []byte) (int, error) {
	n, err := r.Read(slices.Clip(p))
	if uint(n) > uint(len(p)) {
		return 0, fmt.Errorf("buffer: ReadFrom: Read of a %T returned count %d for a slice of %d bytes", r, n, len(p))
	}
	return n, err
}

// WriteTo writes the unread content to w in one call: all of B if nothing was read. It
// does not count as reading, so that it may be repeated. It returns
// [io.ErrShortWrite] if w wrote less without an error, and another error if w
// returned an impossible count.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	u := b.unread()
	n, err := w.Write(slices.Clip(u))
	if uint(n) > uint(len(u)) {
		return 0, fmt.Errorf("buffer: WriteTo: Write of a %T returned count %d for %d bytes", w, n, len(u))
	}
	if n < len(u) && err == nil {
		err = io.ErrShortWrite
	}
	return int64(n), err
}
