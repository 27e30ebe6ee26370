// Package earlier has what packages of compat need of those that they serve, and programs do
// not. These set it.
package earlier

// Release is the method Release of buffer, a *buffer.Buffer. It reports whether this was the
// last reference and the pool kept the array.
var Release func(buffer any) (kept bool)

// CountOf returns the count of buffer, a *buffer.Buffer.
var CountOf func(buffer any) Count

// A Count counts the references to a Buffer beside the first. Its methods may be called at any
// time, also when the Buffer is in the pool.
type Count interface {
	// Value returns the count, or a negative number if the Buffer is in the pool.
	Value() int64

	// Add adds delta, and returns what Value was before.
	Add(delta int64) int64

	// Store sets the count, unless the Buffer is in the pool.
	Store(count int64)

	// Idle reports whether the Buffer is in the pool, or was released and is tracked.
	Idle() bool

	// Tracked reports whether package check tracks the Buffer, which is in use.
	Tracked() bool
}
