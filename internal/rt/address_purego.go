//go:build octet_purego

package rt

import "reflect"

// AddressOf returns where x is, as a number.
func AddressOf[T any](x *T) uintptr { return reflect.ValueOf(x).Pointer() }

// Address returns where b begins, as a number, or 0 for no memory. A pointer, unlike a
// slice, becomes an interface without an allocation.
func Address(b []byte) uintptr {
	if cap(b) == 0 {
		return 0
	}
	return AddressOf(&b[:1][0])
}
