package buffer

import (
	"testing"
	"unsafe"
)

func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(Buffer{}); unsafe.Sizeof(uintptr(0)) == 8 && n != 64 {
		t.Errorf("a Buffer takes %d bytes, want a cache line", n)
	}
}
