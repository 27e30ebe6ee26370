//go:build !octet_purego

package buffer

import "unsafe"

// UnsafeString returns the content as a string without copying it. The string
// shares B's memory: it changes when the content does, and shows another owner's
// bytes once the Buffer is released. Never keep it.
//
// Sound: the string lies within the array, which it keeps alive. That its bytes
// change is what callers accept.
func (b *Buffer) UnsafeString() string {
	u := b.Bytes()
	return unsafe.String(unsafe.SliceData(u), len(u))
}
