//go:build asan

// Package sanitize tells AddressSanitizer which pooled memory is nobody's.
//
// AddressSanitizer knows for every 8 bytes how many of the first are accessible.
// Memory that does not end at a multiple of 8 is poisoned up to its last byte if
// nothing accessible follows in the same 8 bytes, which is so for what the
// allocator returned, and else up to the last multiple.
//
// Memory that goes back to the collector while it is poisoned is not a concern:
// the sweeper poisons what it frees, and the allocator unpoisons what it returns.
package sanitize

// #include <sanitizer/asan_interface.h>
//
// #cgo noescape __asan_poison_memory_region
// #cgo nocallback __asan_poison_memory_region
// #cgo noescape __asan_unpoison_memory_region
// #cgo nocallback __asan_unpoison_memory_region
import "C"

import "unsafe"

// Enabled tells whether the program was built with -race or -asan.
const Enabled = true

// Released says that the memory of b, up to its capacity, is nobody's until the
// next call of Reused.
func Released(b []byte) {
	C.__asan_poison_memory_region(unsafe.Pointer(unsafe.SliceData(b)), C.size_t(cap(b)))
}

// Reused says that the memory of b, up to its capacity, is about to be handed
// out.
func Reused(b []byte) {
	C.__asan_unpoison_memory_region(unsafe.Pointer(unsafe.SliceData(b)), C.size_t(cap(b)))
}
