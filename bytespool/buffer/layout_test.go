package buffer

import (
	"testing"
	"unsafe"
)

func TestLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		return // both are smaller there
	}
	if n := unsafe.Sizeof(Buffer{}); n != 64 {
		t.Errorf("a Buffer takes %d bytes, want a cache line", n)
	}
	if n := unsafe.Offsetof(seat{}.claims); n != 64 {
		t.Errorf("what a holder reads of a seat takes %d bytes, want a cache line", n)
	}
	if n := unsafe.Sizeof(seat{}); n%64 != 0 {
		t.Errorf("a seat takes %d bytes, not a multiple of a cache line", n)
	}
}
