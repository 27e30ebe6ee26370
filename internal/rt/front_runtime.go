//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !ios && !octet_purego

package rt

import (
	"runtime"
	"unsafe"
)

// FindsFronts reports whether FrontOf finds anything.
const FindsFronts = true

// findObject finds the object of the heap in which p points. Its signature is kept stable
// for packages that reach it by linkname (go.dev/issue/67401).
//
//go:linkname findObject runtime.findObject
func findObject(p, refBase, refOff uintptr) (base uintptr, span unsafe.Pointer, index uintptr)

// FrontOf returns how many bytes of the memory of b, which was allocated at once, lie before
// b: 0 where it begins. It is 0 also for memory that is not in the heap.
//
// Sound: b is alive, so that its object is, too, and does not move; the result is a number.
// Slices of fewer than 16 bytes share an object, so nothing is said of them.
func FrontOf(b []byte) int {
	if cap(b) < 16 {
		return 0
	}
	p := Address(b)
	base, _, _ := findObject(p, 0, 0)
	runtime.KeepAlive(b)
	if base == 0 {
		return 0
	}
	return int(p - base)
}
