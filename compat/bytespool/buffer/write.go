package buffer

import (
	"io"

	"github.com/octet-go/octet/bytespool/buffer"
)

// Where there is room, the methods of this file write by themselves: the compiler inlines
// that, and would not inline a call of what it inlines.

// Write appends p, which may be part of the Buffer, and returns len(p). There are no errors,
// except in a Buffer that was converted from one of [buffer.Pool.TryGet]. Like all methods that
// append, it panics with [ErrTooLarge] if the content would exceed 2 GiB - 1.
func (b *Buffer) Write(p []byte) (n int, err error) {
	n, err = write(b, p, (*Buffer).writeSlow)
	return
}

// WriteString is [Buffer.Write] for a string.
func (b *Buffer) WriteString(s string) (n int, err error) {
	n, err = writeString(b, s, (*Buffer).writeStringSlow)
	return
}

// WriteByte is [Buffer.Write] for a byte.
func (b *Buffer) WriteByte(c byte) error { return writeByte(b, c, (*Buffer).writeByteSlow) }

// Append is [Buffer.Write] without results.
func (b *Buffer) Append(p []byte) { write(b, p, (*Buffer).writeSlow) }

// AppendString is [Buffer.Append] for a string.
func (b *Buffer) AppendString(s string) { writeString(b, s, (*Buffer).writeStringSlow) }

// AppendByte is [Buffer.Append] for a byte.
func (b *Buffer) AppendByte(c byte) { writeByte(b, c, (*Buffer).writeByteSlow) }

// write appends p if there is room, and calls slow if not: a parameter, which is cheaper than
// a function in what the compiler takes a call for.
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

func (b *Buffer) writeSlow(p []byte) (int, error)       { return (*buffer.Buffer)(b).Write(p) }
func (b *Buffer) writeStringSlow(s string) (int, error) { return (*buffer.Buffer)(b).WriteString(s) }
func (b *Buffer) writeByteSlow(c byte) error            { return (*buffer.Buffer)(b).WriteByte(c) }

// Set replaces the content by p, which may be part of the buffer.
func (b *Buffer) Set(p []byte) {
	checkSize(len(p))
	b.Reset() // leaves the bytes of p where they are
	b.Append(p)
}

// SetString replaces the content by s.
func (b *Buffer) SetString(s string) {
	checkSize(len(s))
	b.Reset()
	b.AppendString(s)
}

// checkSize panics if n is too large, before the content is dropped.
func checkSize(n int) {
	if n > maxSize {
		panic(ErrTooLarge)
	}
}

// Guarantee makes room for n more bytes. It panics with [ErrGrow] if n is negative, and with
// [ErrTooLarge] if the content would exceed 2 GiB - 1.
func (b *Buffer) Guarantee(n int) {
	if n < 0 {
		panic(ErrGrow)
	}
	b.octet().Grow(n)
}

// Grow lengthens the content by n bytes, which show what the memory had before, perhaps
// another user's secrets: overwrite all of them. Grow panics as Guarantee does.
func (b *Buffer) Grow(n int) {
	b.Guarantee(n)
	b.B = b.B[:len(b.B)+n]
}

// ReadFrom appends what r returns until [io.EOF], as [buffer.Buffer.ReadFrom] does.
func (b *Buffer) ReadFrom(r io.Reader) (int64, error) { return b.octet().ReadFrom(r) }
