//go:build !octet_purego

package bytespool

import "unsafe"

// canHide says whether hide and show do something.
const canHide = true

// hide makes *b an empty slice at the same address.
func hide(b *[]byte) { *b = (*b)[:0:hiddenCap] }

// show undoes hide: it makes *b a slice of the given length and capacity. It does
// nothing and returns false if *b is not as hide left it.
//
// Sound: the capacity is that of a class under which the engine filed *b, so that the
// array has at least that much from its first byte on. Nobody writes to a header that
// is idle. If somebody does, the empty slices that programs write, nil and those
// without room, are recognised, as are all with content.
func show(b *[]byte, length, capacity int) bool {
	s := *b
	if len(s) != 0 || cap(s) != hiddenCap {
		return false
	}
	*b = unsafe.Slice(unsafe.SliceData(s), capacity)[:length]
	return true
}
