package buffer

import (
	"unicode/utf8"
)

// Write appends p, which may be part of the Buffer, and returns len(p). If the Buffer asks
// for what it grows by (see [Pool.TryGet]), and the limit does not allow it, it returns 0 and
// [bytespool.ErrLimit], and leaves the content as it was. There are no other errors.
// Like all methods that append, it panics with [ErrTooLarge] if the content would
// exceed 2 GiB - 1, and then leaves it as it was, too.
func (b *Buffer) Write(p []byte) (n int, err error) {
	n, err = write(b, p, (*Buffer).writeSlow) // into names, which is just cheap enough to be inlined
	return
}

// WriteString is [Buffer.Write] for a string.
func (b *Buffer) WriteString(s string) (n int, err error) {
	n, err = writeString(b, s, (*Buffer).writeStringSlow)
	return
}

// write appends p if there is room, and calls slow if not. As in rest, slow is a
// parameter so that Write is inlined. Setting the length and copying costs
// a quarter less than append, which prepares for another array, and copy is faster where
// it is given both ends. If the sum overflows an int, uint makes it too large for any
// array.
func write(b *Buffer, p []byte, slow func(*Buffer, []byte) (int, error)) (n int, err error) {
	n = len(b.B)
	if m := n + len(p); uint(m) <= uint(cap(b.B)) && m <= maxSize {
		b.B = b.B[:m]
		return copy(b.B[n:m], p), nil
	}
	return slow(b, p)
}

// writeString is write for a string.
func writeString(b *Buffer, s string, slow func(*Buffer, string) (int, error)) (n int, err error) {
	n = len(b.B)
	if m := n + len(s); uint(m) <= uint(cap(b.B)) && m <= maxSize {
		b.B = b.B[:m]
		return copy(b.B[n:m], s), nil
	}
	return slow(b, s)
}

// writeByte is write for a byte.
func writeByte(b *Buffer, c byte, slow func(*Buffer, byte) error) error {
	if len(b.B) < min(cap(b.B), maxSize) {
		b.B = append(b.B, c)
		return nil
	}
	return slow(b, c)
}

// WriteByte appends c. Its errors are those of [Buffer.Write].
func (b *Buffer) WriteByte(c byte) error { return writeByte(b, c, (*Buffer).writeByteSlow) }

// WriteRune appends r in UTF-8, or U+FFFD if r is not a valid rune, and returns the
// number of bytes. Its errors are those of [Buffer.Write].
func (b *Buffer) WriteRune(r rune) (int, error) {
	var p [utf8.UTFMax]byte
	return b.Write(p[:utf8.EncodeRune(p[:], r)])
}

// AvailableBuffer returns the room behind the content as an empty slice, valid until
// the next write. Append to it and pass the result to that Write: the bytes are then
// where they belong already.
func (b *Buffer) AvailableBuffer() []byte { return b.B[len(b.B):] }
