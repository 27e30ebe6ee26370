// Package known lets package binary write to a *buffer.Buffer without importing
// bytespool/buffer. Most programs that import binary have no use for pools.
// The calls are as fast as static ones, and the bytes need not be on the heap.
//
// Package bytespool/buffer sets the functions during its initialization, so they are set
// before a Buffer exists. In a program without that package they are nil. They report
// false for a Writer of any other type, including those that embed a Buffer,
// because such a type may have its own Write, which must be called.
package known

import "io"

var (
	// Write writes the first size bytes of v, at most 8, in little-endian order. A
	// Buffer takes them all, or none and returns an error.
	Write func(w io.Writer, v uint64, size int) (ok bool, err error)

	// WriteString writes s.
	WriteString func(w io.Writer, s string) (ok bool, err error)
)
