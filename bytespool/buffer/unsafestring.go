//go:build !octet_purego

package buffer

import "unsafe"

// UnsafeString returns the content that was not read as a string without copying
// it. The string shares B's memory: it changes when the content does, and shows
// somebody else's bytes once the buffer was released. Never keep it.
func (b *Buffer) UnsafeString() string {
	u := b.unread()
	return unsafe.String(unsafe.SliceData(u), len(u))
}
