package bytebuf

import (
	"errors"
	"io"
	"math"
	"math/bits"
	"unicode/utf8"
)

// MinRead is the room that [Buffer.ReadFrom] makes before each Read. A buffer
// with room for MinRead bytes more than the reader delivers does not grow.
const MinRead = 512

var errNegativeRead = errors.New("bytes.Buffer: reader returned negative count from Read")

// extend makes the contents n > 0 bytes longer and returns where these begin, if
// there is room behind the contents that no string shows.
func (b *Buffer) extend(n int) (int, bool) {
	if i := len(b.buf); n <= cap(b.buf)-i && b.shown() <= i {
		b.buf = b.buf[:i+n]
		return i, true
	}
	return 0, false
}

// grow makes the contents n bytes longer and returns where these begin. It moves
// the contents if there is no room behind them, or if a string shows it.
func (b *Buffer) grow(n int) int { return b.growTo(n, 2*cap(b.buf)) }

// growTo is grow with the capacity to grow to, where more is needed.
func (b *Buffer) growTo(n, size int) int {
	b.settle()
	m := b.Len()
	if m == 0 && b.off != 0 {
		b.Reset()
	}
	l, c, shown := len(b.buf), cap(b.buf), 0
	if c > 0 {
		shown = b.shown()
	}
	switch {
	case n <= c-l && shown <= l:
		b.buf = b.buf[:l+n]
		return l
	case n <= c/2-m && shown <= 0:
		// Half of the array at least is room afterwards, which pays for sliding.
		copy(b.buf, b.buf[b.off:])
	case n <= c-m && shown > 0:
		// A string took the array, and now the buffer is used once more. From here
		// on it keeps its array and String copies: writing to the same memory over
		// and over and copying it costs less than writing to fresh memory.
		b.keep()
		b.move(max(m+n, min(shown, c)))
	case c > math.MaxInt-c-n:
		panic(ErrTooLarge)
	default:
		b.move(max(m+n, size))
	}
	b.off = 0
	b.buf = b.buf[:m+n]
	return m
}

// Grow makes room for n more bytes, so that writing them does not allocate. It
// panics if n is negative, and with [ErrTooLarge] if there cannot be so much.
func (b *Buffer) Grow(n int) {
	if n < 0 {
		panic("bytes.Buffer.Grow: negative count")
	}
	if b.lastRead != opInvalid && b.Len() > 0 {
		// What UnreadByte or UnreadRune may take back moves with the contents.
		back := min(max(int(b.lastRead), 1), b.off)
		b.off -= back
		defer func() { b.off += back }()
	}
	b.buf = b.buf[:b.grow(n)]
}

// Write appends p. The error is always nil. Write panics with [ErrTooLarge] if
// the buffer becomes too large.
func (b *Buffer) Write(p []byte) (n int, err error) {
	b.lastRead = opInvalid
	n = len(p)
	if n == 0 {
		return 0, nil
	}
	// This is extend(n), in a form that the compiler makes fast code of.
	if i := len(b.buf); n <= cap(b.buf)-i {
		if b.shown() <= i {
			to := b.buf[i : i+n]
			b.buf = b.buf[:i+n]
			copy(to, p)
			return n, nil
		}
	}
	copy(b.buf[b.grow(n):], p)
	return n, nil
}

// WriteString appends s, and is otherwise like Write.
func (b *Buffer) WriteString(s string) (n int, err error) {
	b.lastRead = opInvalid
	n = len(s)
	if n == 0 {
		return 0, nil
	}
	if i := len(b.buf); n <= cap(b.buf)-i {
		if b.shown() <= i {
			to := b.buf[i : i+n]
			b.buf = b.buf[:i+n]
			copy(to, s)
			return n, nil
		}
	}
	copy(b.buf[b.grow(n):], s)
	return n, nil
}

// WriteByte appends c, and is otherwise like Write.
func (b *Buffer) WriteByte(c byte) error {
	// This is extend(1), and grow(1), in a form that the inliner can afford.
	i := len(b.buf)
	if i < cap(b.buf) && b.shown() <= i {
		b.buf = b.buf[:i+1]
	} else {
		i = cold(b, (*Buffer).growByte)
	}
	b.buf[i] = c
	b.lastRead = opInvalid
	return nil
}

func (b *Buffer) growByte() int { return b.grow(1) }

// cold returns f(b). The inliner takes the call of a parameter for cheaper
// than a direct call, which is what it becomes: a method may have its slow path
// called by cold and still be small enough to be inlined.
func cold[R any](b *Buffer, f func(*Buffer) R) R { return f(b) }

// WriteRune appends the UTF-8 encoding of r, that of U+FFFD if r is invalid, and
// returns its length. It is otherwise like Write.
func (b *Buffer) WriteRune(r rune) (n int, err error) {
	if uint32(r) < utf8.RuneSelf { // as a uint32 a negative rune is large
		b.WriteByte(byte(r))
		return 1, nil
	}
	b.lastRead = opInvalid
	i, ok := b.extend(utf8.UTFMax)
	if !ok {
		i = b.grow(utf8.UTFMax)
	}
	n = utf8.EncodeRune(b.buf[i:], r)
	b.buf = b.buf[:i+n]
	return n, nil
}

// ReadFrom appends what it reads from r until io.EOF or another error. It
// returns the number of bytes and the error, if that is not io.EOF. It panics if
// r returns a negative count, and with [ErrTooLarge] if the buffer becomes too
// large.
//
// The memory that r is given is not cleared: a reader that looks at it before
// writing sees what was there, and so does everybody if r reports more bytes
// than it wrote.
func (b *Buffer) ReadFrom(r io.Reader) (n int64, err error) {
	b.lastRead = opInvalid
	for {
		// Powers of two are common sizes. Room for one and for the Read that finds
		// its end saves growing for nothing but io.EOF.
		i := b.growTo(MinRead, 1<<bits.Len(uint(b.Len()|MinRead-1))+MinRead)
		b.buf = b.buf[:i]
		// r may come back: take strings, write, even make the buffer move. Nothing
		// that p shows may go to a string before r has returned.
		held := b.hold()
		p := b.buf[i:cap(b.buf)]
		m, e := r.Read(p)
		held.release()
		if m < 0 {
			panic(errNegativeRead)
		}
		if i < cap(b.buf) && &b.buf[:i+1][i] == &p[0] {
			b.buf = b.buf[:i+m]
		} else {
			b.buf = b.buf[:min(i, len(b.buf))]
			b.Write(p[:m])
		}
		n += int64(m)
		if e == io.EOF {
			return n, nil
		}
		if e != nil {
			return n, e
		}
	}
}
