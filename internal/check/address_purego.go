//go:build octet_purego

package check

import "reflect"

// addressOf returns where x is, as a number.
func addressOf[T any](x *T) uintptr { return reflect.ValueOf(x).Pointer() }

// address returns where b begins, as a number.
func address(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }
