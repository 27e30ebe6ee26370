//go:build !octet_purego

package check

import "unsafe"

// addressOf returns where x is, as a number.
//
// Sound: the number is compared and never followed, and what it is compared with
// is in the heap or in mappings, and does not move.
func addressOf[T any](x *T) uintptr { return uintptr(unsafe.Pointer(x)) }

// address returns where b begins, as a number.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
