package check

import "reflect"

// addressOf returns where x is, as a number: it is compared and never followed.
// What it is compared with does not move.
func addressOf[T any](x *T) uintptr { return reflect.ValueOf(x).Pointer() }

// address returns where b begins, whose capacity is not 0.
func address(b []byte) uintptr { return addressOf(&b[:1][0]) }
