//go:build asan

// Package sanitize tells AddressSanitizer which pooled memory nobody owns.
//
// For every 8 bytes AddressSanitizer knows how many of the first are accessible. If
// memory does not end at a multiple of 8, it is poisoned to its last byte if nothing
// accessible follows within these 8 bytes, which is true of what the allocator
// returns. Otherwise it is poisoned to the last multiple of 8.
//
// Memory may go back to the collector while it is poisoned: the sweeper poisons what
// it frees, and the allocator unpoisons what it returns.
package sanitize

// #include <sanitizer/asan_interface.h>
//
// #cgo noescape __asan_poison_memory_region
// #cgo nocallback __asan_poison_memory_region
// #cgo noescape __asan_unpoison_memory_region
// #cgo nocallback __asan_unpoison_memory_region
import "C"

import "unsafe"

// Enabled says whether the program was built with -race or -asan.
const Enabled = true

// Released says that nobody owns the memory of b, up to its capacity, until the next
// call of Reused.
func Released(b []byte) {
	C.__asan_poison_memory_region(unsafe.Pointer(unsafe.SliceData(b)), C.size_t(cap(b)))
}

// Reused says that the memory of b, up to its capacity, is about to be handed
// out.
func Reused(b []byte) {
	C.__asan_unpoison_memory_region(unsafe.Pointer(unsafe.SliceData(b)), C.size_t(cap(b)))
}
