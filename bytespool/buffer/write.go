package buffer

import (
	"unicode/utf8"
)

// Write appends p, which may be part of the Buffer. It returns len(p) and no error.
// Like all methods that append, it panics with [ErrTooLarge] if the content would
// exceed 2 GiB - 1, and then leaves it as it was.
func (b *Buffer) Write(p []byte) (int, error) {
	write(b, p, (*Buffer).appendSlow)
	return len(p), nil
}

// WriteString is [Buffer.Write] for a string.
func (b *Buffer) WriteString(s string) (int, error) {
	writeString(b, s, (*Buffer).appendStringSlow)
	return len(s), nil
}

// Append is [Buffer.Write] without results.
func (b *Buffer) Append(p []byte) { write(b, p, (*Buffer).appendSlow) }

// AppendString is [Buffer.WriteString] without results.
func (b *Buffer) AppendString(s string) { writeString(b, s, (*Buffer).appendStringSlow) }

// write appends p if there is room, and calls slow if not. As in source.or, slow is a
// parameter so that Write and Append are inlined. Setting the length and copying costs
// a quarter less than append, which prepares for another array, and copy is faster where
// it is given both ends. If the sum overflows an int, uint makes it too large for any
// array.
func write(b *Buffer, p []byte, slow func(*Buffer, []byte)) {
	n := len(b.B)
	if m := n + len(p); uint(m) <= uint(cap(b.B)) && m <= maxSize {
		b.B = b.B[:m]
		copy(b.B[n:m], p)
	} else {
		slow(b, p)
	}
}

// writeString is write for a string.
func writeString(b *Buffer, s string, slow func(*Buffer, string)) {
	n := len(b.B)
	if m := n + len(s); uint(m) <= uint(cap(b.B)) && m <= maxSize {
		b.B = b.B[:m]
		copy(b.B[n:m], s)
	} else {
		slow(b, s)
	}
}

// writeByte is write for a byte.
func writeByte(b *Buffer, c byte, slow func(*Buffer, byte)) {
	if len(b.B) < min(cap(b.B), maxSize) {
		b.B = append(b.B, c)
	} else {
		slow(b, c)
	}
}

// WriteByte appends c.
func (b *Buffer) WriteByte(c byte) error {
	b.AppendByte(c)
	return nil
}

// WriteRune appends r in UTF-8, or U+FFFD if r is not a valid rune, and returns the
// number of bytes.
func (b *Buffer) WriteRune(r rune) (int, error) {
	if uint32(r) < utf8.RuneSelf {
		b.AppendByte(byte(r))
		return 1, nil
	}
	size := utf8.RuneLen(r)
	if size < 0 {
		size = utf8.RuneLen(utf8.RuneError)
	}
	b.Guarantee(size)
	b.B = utf8.AppendRune(b.B, r)
	return size, nil
}

// AppendByte is [Buffer.WriteByte] without a result.
func (b *Buffer) AppendByte(c byte) { writeByte(b, c, (*Buffer).appendByteSlow) }

// AvailableBuffer returns the room behind the content as an empty slice, valid until
// the next write. Append to it and pass the result to that Write: the bytes are then
// where they belong already.
func (b *Buffer) AvailableBuffer() []byte { return b.B[len(b.B):] }

// Set replaces the content by p, which may be part of the buffer.
func (b *Buffer) Set(p []byte) {
	checkSize(len(p)) // before the content is dropped
	if len(p) <= cap(b.B) && !b.borrowed {
		array := b.B[:0]
		b.Reset()
		b.B = append(array, p...)
		return
	}
	b.off = len(b.B) // so that none of it moves
	b.appendSlow(p)
}

// SetString replaces the content by s.
func (b *Buffer) SetString(s string) {
	checkSize(len(s))
	if len(s) <= cap(b.B) && !b.borrowed {
		b.Reset()
		b.B = append(b.B, s...)
		return
	}
	b.off = len(b.B)
	b.appendStringSlow(s)
}
