// Package known lets package binary write to and read from a *buffer.Buffer as it
// does with the standard library's buffers, by a static call and with the bytes on
// the stack, without importing bytespool/buffer: most programs that import binary
// have no use for pools.
//
// Package bytespool/buffer sets the functions when it is initialized, before anybody
// can have a Buffer. In a program without it they are nil. Each reports false for a
// Writer or Reader of another type, also for one that embeds a Buffer: whoever
// embeds may have methods of its own that must not be passed by.
package known

import "io"

var (
	// Write writes the first size bytes of v, at most 8, in little-endian order. A
	// Buffer takes them all.
	Write func(w io.Writer, v uint64, size int) bool

	// WriteString writes s.
	WriteString func(w io.Writer, s string) bool

	// Next reads the next n bytes, or as many as there are, and returns them as part
	// of the Buffer, until its next call.
	Next func(r io.Reader, n int) (p []byte, known bool)
)
