package bytebuf

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// A readOp says what the last call did: nothing that can be unread, read some
// bytes, or, if positive, read a rune of that many bytes.
type readOp int8

const (
	opInvalid readOp = 0
	opRead    readOp = -1
)

var (
	errUnreadByte = errors.New("bytes.Buffer: UnreadByte: previous operation was not a successful read")
	errUnreadRune = errors.New("bytes.Buffer: UnreadRune: previous operation was not a successful ReadRune")
)

// empty says whether nothing is unread, and if so, makes all of the array room
// again.
func (b *Buffer) empty() bool {
	if b.Len() > 0 {
		return false
	}
	b.Reset()
	return true
}

// took notes that the first n of the unread bytes were read.
func (b *Buffer) took(n int, op readOp) {
	b.off += n
	b.lastRead = op
}

// Read reads up to len(p) bytes into p. It returns how many, and [io.EOF] if the
// buffer is empty and p is not.
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

// Next returns the next n bytes, or all if there are fewer, and consumes them.
// The slice is like that of Bytes.
func (b *Buffer) Next(n int) []byte {
	b.lastRead = opInvalid
	p := b.exposed()[b.off:]
	if n > len(p) {
		n = len(p)
	}
	p = p[:n]
	if n > 0 {
		b.took(n, opRead)
	}
	return p
}

// ReadByte reads one byte. If there is none, it returns [io.EOF].
func (b *Buffer) ReadByte() (byte, error) {
	b.settle()
	if b.empty() {
		return 0, io.EOF
	}
	c := b.buf[b.off]
	b.took(1, opRead)
	return c, nil
}

// ReadRune reads one UTF-8 sequence and returns its rune and length, or U+FFFD
// and 1 for a byte that begins none. If the buffer is empty, it returns [io.EOF].
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

// UnreadRune takes back the rune of the ReadRune just before. If the last call
// was anything else, it returns an error.
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

// UnreadByte takes back the last byte of the reading call just before. If the
// last call was none, or read nothing, it returns an error.
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

// ReadBytes reads up to and including the first delim and returns a copy. If
// there is no delim, it returns all there is, and [io.EOF].
func (b *Buffer) ReadBytes(delim byte) (line []byte, err error) {
	s, err := b.readLine(delim)
	return append(line, s...), err
}

// ReadString is ReadBytes with a string.
func (b *Buffer) ReadString(delim byte) (line string, err error) {
	s, err := b.readLine(delim)
	return string(s), err
}

// readLine is ReadBytes without the copy.
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

// WriteTo writes the unread bytes to w and consumes what w took. It returns how
// much that was and w's error, or [io.ErrShortWrite] if w took less without one.
// It panics if w claims more than it was given.
func (b *Buffer) WriteTo(w io.Writer) (n int64, err error) {
	b.lastRead = opInvalid
	b.settle()
	if s := b.buf[b.off:]; len(s) > 0 {
		m, e := w.Write(s)
		if m > len(s) {
			panic("bytes.Buffer.WriteTo: invalid Write count")
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
