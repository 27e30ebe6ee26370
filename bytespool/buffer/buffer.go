package buffer

import (
	"errors"
	"log/slog"
	"math"
)

// ErrTooLarge is what methods panic with, and ReadFrom returns, when the content would
// exceed 2 GiB - 1.
var ErrTooLarge = errors.New("buffer: larger than 2 GiB - 1")

// maxSize is the largest content.
const maxSize = math.MaxInt32

// A Buffer is a growable sequence of bytes whose memory comes from a pool and
// goes back there. The package comment says who owns what, and how writing and
// reading affect B.
//
// The zero value is an empty buffer ready to use, which gets an array from the pool
// with the first write. A Buffer must not be copied.
//
// A Buffer is an [io.Writer] and, deliberately, no [io.Reader]. Code that is given an
// io.Reader may close it, and may still read it when it has returned: a client of net/http
// does both. Were that the Buffer itself, the next owner's content would be sent.
// [Buffer.Body] returns what such code should be given; for code that does neither, use a
// bytes.Reader of [Buffer.Bytes].
type Buffer struct {
	// B is the content, including what was read. Programs may read it, change
	// it, append to it and replace it. An array assigned to B is released with
	// the Buffer; one that is replaced by assignment is left to the collector.
	B []byte

	refs  refCount
	home  *source // where its memory comes from and returns to; nil if the program declared it
	off   int     // the read offset in B; if it is beyond B, all of B was read
	owner *Buffer // who has an array that this one shows, or showed: see tenure
	use
}

// A use is the part of a Buffer that is reset for each user.
type use struct {
	readAt uint32 // len(B) after the last read, truncated: as long as it is, nothing was written since
	last   int8   // what Unread… may take back: the size of a rune, lastByte, or 0
	tenure tenure // whose array B shows
	asks   bool   // it asks a limit for what it grows by
}

// lastByte is Buffer.last after a read of something other than a rune.
const lastByte = -1

// unread returns the unread content.
func (b *Buffer) unread() []byte { return b.rest((*Buffer).cutOff) }

// rest returns the content from off on, or the result of slow if B ends before off.
// Slow is a parameter because the compiler then inlines rest: in its reckoning a call of a
// parameter is cheaper than one of a function, though it becomes one by inlining.
func (b *Buffer) rest(slow func(*Buffer) []byte) []byte {
	if b.off <= len(b.B) {
		return b.B[b.off:]
	}
	return slow(b)
}

// cutOff is unread where B ends before off: the program has shortened it.
func (b *Buffer) cutOff() []byte {
	if b.off == released {
		b.stale()
	}
	return b.B[len(b.B):]
}

// Bytes returns the unread content: all of B if nothing was read. It is B's memory,
// valid until the next call that writes or releases.
func (b *Buffer) Bytes() []byte { return b.unread() }

// String returns a copy of the unread content as a string, or "" if b is nil.
func (b *Buffer) String() string {
	if b == nil {
		return ""
	}
	return string(b.unread())
}

// LogValue implements [slog.LogValuer]: logs show the length, as the attribute
// len, and not the content, which may be large, binary or secret. This is for a Buffer
// that is logged itself. Of a struct that has one, package slog logs all fields, B too.
func (b *Buffer) LogValue() slog.Value {
	n := 0
	if b != nil {
		n = b.Len()
	}
	return slog.GroupValue(slog.Int("len", n))
}

// Len returns the number of unread bytes: len(b.B) if nothing was read.
func (b *Buffer) Len() int { return len(b.unread()) }

// Cap returns the capacity of the array: cap(b.B).
func (b *Buffer) Cap() int { return cap(b.B) }

// Available returns how many bytes can be written without another array. It is
// negative if a program has put more than 2 GiB - 1 bytes into B.
func (b *Buffer) Available() int { return min(cap(b.B), maxSize) - len(b.B) }

// Reset empties the buffer and keeps the array.
func (b *Buffer) Reset() {
	if b.tenure.borrows() {
		b.B = nil
	}
	b.off, b.last = 0, 0
	b.B = b.B[:0]
}

// Truncate drops all but the first n unread bytes. It panics if n is
// negative or larger than Len.
func (b *Buffer) Truncate(n int) {
	if uint(n) > uint(b.Len()) {
		panic("buffer: Truncate: the length is negative or larger than Len")
	}
	if n == 0 {
		b.Reset()
		return
	}
	b.last = 0
	b.B = b.B[:b.off+n]
	if b.tenure.borrows() {
		b.B = b.B[:len(b.B):len(b.B)]
	}
}
