package buffer

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

var (
	errUnreadByte = errors.New("buffer: UnreadByte: the previous call was not a successful read")
	errUnreadRune = errors.New("buffer: UnreadRune: the previous call was not a successful ReadRune")
)

// wasRead notes that n bytes, at least one, were read. undo is what Unread… may
// take back: the size of a rune, or lastByte.
func (b *Buffer) wasRead(n int, undo int8) {
	b.off += n
	b.last = undo
	b.readAt = uint32(len(b.B))
}

// Next reads the next n bytes, or as many as there are, and returns them. The
// slice is part of B, valid until the next call that writes or releases. It
// panics if n is negative.
func (b *Buffer) Next(n int) []byte {
	if u := b.B[min(b.off, len(b.B)):]; uint(n-1) < uint(len(u)) {
		b.wasRead(n, lastByte)
		return u[:n]
	}
	return b.nextSlow(n)
}

// nextSlow is Next where n is 0, negative, or more than there is.
func (b *Buffer) nextSlow(n int) []byte {
	u := b.unread()
	if n < 0 {
		panic("buffer: Next: negative count")
	}
	b.last = 0
	if n > 0 && len(u) > 0 {
		b.wasRead(len(u), lastByte)
		return u
	}
	return u[:0]
}

// Peek returns the next n bytes without reading them. If there are fewer, it
// returns these and [io.EOF]. The slice is part of B, valid until the next call
// that writes or releases. It panics if n is negative.
func (b *Buffer) Peek(n int) ([]byte, error) {
	u := b.unread()
	if n < 0 {
		panic("buffer: Peek: negative count")
	}
	if n > len(u) {
		return u, io.EOF
	}
	return u[:n], nil
}

// ReadByte reads a byte. It returns [io.EOF] if there is none.
func (b *Buffer) ReadByte() (byte, error) { return b.readByteOr((*Buffer).noByte) }

// readByteOr is ReadByte. It returns the result of end if there is no byte. As in
// rest, end is a parameter so that ReadByte is inlined.
func (b *Buffer) readByteOr(end func(*Buffer) (byte, error)) (byte, error) {
	if b.off < len(b.B) {
		b.wasRead(1, lastByte)
		return b.B[b.off-1], nil
	}
	return end(b)
}

// noByte is ReadByte at the end.
func (b *Buffer) noByte() (byte, error) {
	b.last = 0
	b.unread() // reports that the Buffer was released
	return 0, io.EOF
}

// ReadRune reads a rune in UTF-8 and returns it with its size. Each byte that is not
// valid UTF-8 is read as U+FFFD of size 1. It returns [io.EOF] if there is nothing to
// read.
func (b *Buffer) ReadRune() (r rune, size int, err error) {
	u := b.unread()
	if len(u) == 0 {
		b.last = 0
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(u)
	b.wasRead(size, int8(size))
	return r, size, nil
}

// UnreadByte takes back the last byte that was read. It returns an error if the
// previous call was not a successful read, or something was written since.
func (b *Buffer) UnreadByte() error {
	if !b.undoable() {
		return errUnreadByte
	}
	b.last = 0
	b.off--
	return nil
}

// UnreadRune takes back the rune that ReadRune read. It returns an error if the
// previous call was not a successful ReadRune, or something was written since.
func (b *Buffer) UnreadRune() error {
	if !b.undoable() || b.last == lastByte {
		return errUnreadRune
	}
	b.off -= int(b.last)
	b.last = 0
	return nil
}

// undoable reports whether there was a read, and since then neither a write nor
// a change of B's length.
func (b *Buffer) undoable() bool {
	return b.last != 0 && b.readAt == uint32(len(b.B)) && b.off <= len(b.B)
}

// ReadBytes reads up to and including the first delim and returns what it read in a
// new slice. If there is no delim, it returns all the rest and [io.EOF].
func (b *Buffer) ReadBytes(delim byte) ([]byte, error) {
	line, err := b.readLine(delim)
	return append([]byte(nil), line...), err
}

// ReadString is [Buffer.ReadBytes] for a string.
func (b *Buffer) ReadString(delim byte) (string, error) {
	line, err := b.readLine(delim)
	return string(line), err
}

func (b *Buffer) readLine(delim byte) ([]byte, error) {
	u := b.unread()
	if i := bytes.IndexByte(u, delim); i >= 0 {
		return b.Next(i + 1), nil
	}
	return b.Next(len(u)), io.EOF
}
