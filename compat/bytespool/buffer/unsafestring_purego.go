//go:build octet_purego

package buffer

// UnsafeString returns the content as a string. In this build it is a copy; in
// others it shares B's memory. Never keep it.
func (b *Buffer) UnsafeString() string { return string(b.Bytes()) }
