//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !ios && !octet_purego

package rt

import "unsafe"

// maxAlloc is below the runtime's own limit of 1<<48 bytes (1<<47 of address
// space on some kernels). Where make panics, mallocgc ends the program, so larger
// sizes are left to make.
const maxAlloc = 1 << 46

// mallocgc is the runtime's allocator. Its signature is kept stable for packages
// that reach it by linkname (go.dev/issue/67401).
//
//go:linkname mallocgc runtime.mallocgc
func mallocgc(size uintptr, typ unsafe.Pointer, needzero bool) unsafe.Pointer

// alloc returns n bytes, 0 < n <= maxAlloc.
//
// Sound: a nil type marks memory without pointers, which the collector never
// scans, so that it need not be cleared; mallocgc returns at least n bytes.
func alloc(n int) []byte {
	return unsafe.Slice((*byte)(mallocgc(uintptr(n), nil, false)), n)
}
