//go:build octet_purego

package rt

import "reflect"

// AddressOf returns where x is, as a number.
func AddressOf[T any](x *T) uintptr { return reflect.ValueOf(x).Pointer() }

// Address returns where b begins, as a number.
func Address(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }
