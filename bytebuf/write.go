package bytebuf

import (
	"errors"
	"io"
	"math"
	"unicode/utf8"
)

// MinRead is the least room that [Buffer.ReadFrom] passes to a Read. It does not grow a
// buffer that has room for MinRead bytes more than the Reader returns.
const MinRead = 512

var errReadCount = errors.New("bytebuf: ReadFrom: the Reader returned an impossible count")

// extend makes the contents n > 0 bytes longer and returns the index of the first of
// these, if there is room that no string shows.
func (b *Buffer) extend(n int) (int, bool) {
	if i := len(b.buf); n <= cap(b.buf)-i && b.shown() <= i {
		b.buf = b.buf[:i+n]
		return i, true
	}
	return 0, false
}

// grow makes the contents n bytes longer and returns the index of the first of these. It
// moves the contents if there is no room behind them, or if a string shows that room.
func (b *Buffer) grow(n int) int { return b.growTo(n, 2*cap(b.buf)) }

// growTo is grow with the size of the array to move to.
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
		// At least half of the array is free afterwards, which makes up for sliding.
		copy(b.buf, b.buf[b.off:])
	case n <= c-m && shown > 0:
		// A string has taken the array, and now the buffer is reused. From now on it
		// keeps its array, and String copies. Writing to the same memory again and
		// copying it costs less than writing to new memory.
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

// Grow makes room for n more bytes, so that writing them does not allocate. It panics
// if n is negative, and with [ErrTooLarge] if the memory cannot be allocated.
func (b *Buffer) Grow(n int) {
	if n < 0 {
		panic("bytebuf: Grow: negative count")
	}
	if b.lastRead != opInvalid && b.Len() > 0 {
		// What UnreadByte or UnreadRune may unread moves with the contents.
		back := min(max(int(b.lastRead), 1), b.off)
		b.off -= back
		defer func() { b.off += back }()
	}
	b.buf = b.buf[:b.grow(n)]
}

// Write appends p. It returns len(p) and a nil error. It panics with [ErrTooLarge] if the
// buffer becomes too large.
func (b *Buffer) Write(p []byte) (n int, err error) {
	b.lastRead = opInvalid
	n = len(p)
	if n == 0 {
		return 0, nil
	}
	// This is extend(n), in a form that the compiler optimizes better.
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

// WriteString is like [Buffer.Write] for a string.
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

// WriteByte appends c. It returns a nil error, and panics as [Buffer.Write] does.
func (b *Buffer) WriteByte(c byte) error {
	// This is extend(1), or grow(1), in a form that fits the inliner's budget.
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

// cold returns f(b). It lets a method call its slow path and still be inlined: to the
// inliner the call of a parameter costs less than a direct call, and after inlining
// cold it is one.
func cold[R any](b *Buffer, f func(*Buffer) R) R { return f(b) }

// WriteRune appends r in UTF-8, or U+FFFD if r is invalid, and returns the length and a
// nil error. It panics as [Buffer.Write] does.
func (b *Buffer) WriteRune(r rune) (n int, err error) {
	if uint32(r) < utf8.RuneSelf { // and not negative
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

// isFull reports whether b has an array that is worth keeping, and no room in it for
// MinRead bytes.
func (b *Buffer) isFull() bool {
	c := cap(b.buf)
	return c >= MinRead && c-len(b.buf) < MinRead && c/2-b.Len() < MinRead
}

// ReadFrom reads from r until io.EOF or another error, and appends what it has read. It
// returns the number of bytes and the error, unless that is io.EOF. It panics if r
// returns an impossible count, and with [ErrTooLarge] if the buffer becomes too large.
//
// The memory passed to r is not cleared, and may have data of other parts of the
// program. They get into the buffer if r returns a larger count than it wrote.
func (b *Buffer) ReadFrom(r io.Reader) (n int64, err error) {
	b.lastRead = opInvalid
	var probe []byte
	for {
		b.settle()
		i := len(b.buf)
		var p []byte
		var held *mark
		if b.isFull() {
			// The buffer may have been made for what r has: see whether more follows.
			if probe == nil {
				probe = make([]byte, MinRead)
			}
			p = probe
		} else {
			i = b.growTo(MinRead, max(2*cap(b.buf), 2*MinRead))
			b.buf = b.buf[:i]
			// r may call methods of b: take strings, write, even move the contents. No
			// string may share the memory of p before r has returned.
			held = b.hold()
			p = b.buf[i:cap(b.buf)]
		}
		off := b.off
		m, e := r.Read(p)
		held.release()
		if b.off < off {
			i -= off // r has moved the contents
		}
		if uint(m) > uint(len(p)) {
			panic(errReadCount)
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
