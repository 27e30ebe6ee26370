//go:build !octet_purego

package rt

import "unsafe"

// AddressOf returns where x is, as a number.
//
// Sound: the number is compared and never followed, and what it is compared with
// is in the heap or in mappings, and does not move.
func AddressOf[T any](x *T) uintptr { return uintptr(unsafe.Pointer(x)) }

// Address returns where b begins, as a number.
func Address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
