package bytebuf

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// A readOp says what the last call read: nothing that can be unread, some bytes, or, if
// positive, a rune of that many bytes.
type readOp int8

const (
	opInvalid readOp = 0
	opRead    readOp = -1
)

var (
	errUnreadByte = errors.New("bytebuf: UnreadByte: the previous call was not a successful read")
	errUnreadRune = errors.New("bytebuf: UnreadRune: the previous call was not a successful ReadRune")
)

// empty reports whether all bytes have been read, and resets the buffer if so.
func (b *Buffer) empty() bool {
	if b.Len() > 0 {
		return false
	}
	b.Reset()
	return true
}

// took consumes n unread bytes.
func (b *Buffer) took(n int, op readOp) {
	b.off += n
	b.lastRead = op
}

// Read reads up to len(p) bytes into p and returns their number. If the buffer is empty
// and p is not, it returns [io.EOF].
func (b *Buffer) Read(p []byte) (n int, err error) {
	b.lastRead = opInvalid
	b.settle()
	if b.empty() && len(p) > 0 {
		return 0, io.EOF
	}
	n = copy(p, b.buf[b.off:])
	if n > 0 {
		b.took(n, opRead)
	}
	return n, nil
}

// Next consumes and returns the next n bytes, or all if there are fewer. The slice
// aliases the buffer's memory, as that of [Buffer.Bytes] does. It panics if n is negative.
func (b *Buffer) Next(n int) []byte {
	b.lastRead = opInvalid
	p := b.exposed()[b.off:]
	if n < 0 {
		panic("bytebuf: Next: negative count")
	}
	if n > len(p) {
		n = len(p)
	}
	p = p[:n]
	if n > 0 {
		b.took(n, opRead)
	}
	return p
}

// ReadByte reads a byte. If the buffer is empty, it returns [io.EOF].
func (b *Buffer) ReadByte() (byte, error) {
	b.settle()
	if b.empty() {
		return 0, io.EOF
	}
	c := b.buf[b.off]
	b.took(1, opRead)
	return c, nil
}

// ReadRune reads a rune in UTF-8 and returns it and its length, or U+FFFD and 1 if the
// next byte does not begin a valid encoding. If the buffer is empty, it returns
// [io.EOF].
func (b *Buffer) ReadRune() (r rune, size int, err error) {
	b.settle()
	if b.empty() {
		return 0, 0, io.EOF
	}
	r, size = rune(b.buf[b.off]), 1
	if r >= utf8.RuneSelf {
		r, size = utf8.DecodeRune(b.buf[b.off:])
	}
	b.took(size, readOp(size))
	return r, size, nil
}

// UnreadRune unreads the rune that the last call, a ReadRune, returned. If the last call
// that read, wrote or discarded bytes was another, it returns an error.
func (b *Buffer) UnreadRune() error {
	if b.lastRead <= opInvalid {
		return errUnreadRune
	}
	if b.off >= int(b.lastRead) {
		b.off -= int(b.lastRead)
	}
	b.lastRead = opInvalid
	return nil
}

// UnreadByte unreads the last byte that the last call read. If the last call that read,
// wrote or discarded bytes was no read, or read nothing, it returns an error.
func (b *Buffer) UnreadByte() error {
	if b.lastRead == opInvalid {
		return errUnreadByte
	}
	b.lastRead = opInvalid
	if b.off > 0 {
		b.off--
	}
	return nil
}

// ReadBytes reads up to and including the first delim and returns a copy of these bytes.
// If there is no delim, it reads and returns all bytes, and [io.EOF].
func (b *Buffer) ReadBytes(delim byte) (line []byte, err error) {
	s, err := b.readLine(delim)
	return append(line, s...), err
}

// ReadString is like [Buffer.ReadBytes] but returns a string.
func (b *Buffer) ReadString(delim byte) (line string, err error) {
	s, err := b.readLine(delim)
	return string(s), err
}

// readLine is ReadBytes without copying.
func (b *Buffer) readLine(delim byte) (line []byte, err error) {
	b.settle()
	line = b.buf[b.off:]
	if i := bytes.IndexByte(line, delim); i >= 0 {
		line = line[:i+1]
	} else {
		err = io.EOF
	}
	b.took(len(line), opRead)
	return line, err
}

// WriteTo writes the unread bytes to w and consumes those that w took. It returns their
// number and w's error, or [io.ErrShortWrite] if w took too few without an error. It
// panics if w returns an impossible count.
func (b *Buffer) WriteTo(w io.Writer) (n int64, err error) {
	b.lastRead = opInvalid
	b.settle()
	if s := b.buf[b.off:]; len(s) > 0 {
		// Clipped, because strings may show what follows.
		m, e := w.Write(slices.Clip(s))
		if uint(m) > uint(len(s)) {
			panic("bytebuf: WriteTo: the Writer returned an impossible count")
		}
		b.off += m
		if e == nil && m != len(s) {
			e = io.ErrShortWrite
		}
		if e != nil {
			return int64(m), e
		}
		n = int64(m)
	}
	b.Reset()
	return n, nil
}
