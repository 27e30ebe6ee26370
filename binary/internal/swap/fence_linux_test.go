package swap

import (
	"bytes"
	"runtime/debug"
	"syscall"
	"testing"
)

// TestNeverOutside copies between slices at the beginning and the end of accessible
// memory. A kernel that accesses one byte outside of them faults.
func TestNeverOutside(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	src, dst := fenced(t), fenced(t)
	copy(src, pattern(len(src)))
	want := make([]byte, longest)
	for _, v := range variants {
		for n := v.size; n <= longest; n += v.size {
			s, d := src[:n], dst[:n]
			v.copy(d, s)
			naive(want, s, v.size)
			if !bytes.Equal(d, want[:n]) {
				t.Fatalf("%s of %d bytes at the beginning", v.name, n)
			}
			s, d = src[len(src)-n:], dst[len(dst)-n:]
			v.copy(d, s)
			naive(want, s, v.size)
			if !bytes.Equal(d, want[:n]) {
				t.Fatalf("%s of %d bytes at the end", v.name, n)
			}
		}
	}
}

// fenced returns a page between two inaccessible ones.
func fenced(t *testing.T) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	m, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	for _, fence := range [][]byte{m[:page], m[2*page:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return m[page : 2*page : 2*page]
}
