//go:build !octet_purego

package magazine

import "unsafe"

// An Item is idle memory: a pointer to its first byte. Its class knows its
// capacity, so that no slice header is boxed.
type Item struct{ p unsafe.Pointer }

// Some reports whether x is an item, and not none.
func (x Item) Some() bool { return x.p != nil }

// ItemOf returns the memory of b.
func ItemOf(b []byte) Item { return Item{unsafe.Pointer(unsafe.SliceData(b))} }

// Slice returns the memory of x, of a class with the given capacity, as a slice of
// length n.
//
// Sound: an item of a class has the class's capacity, or comes with a capacity of its
// own; and n is at most that, because a size's class is not below it. The header is
// built by hand because unsafe.Slice would check what is known, at 4 instructions a
// call.
func (x Item) Slice(n int, capacity uintptr) []byte {
	return *(*[]byte)(unsafe.Pointer(&sliceHeader{x.p, n, int(capacity)}))
}

// OddItemOf is ItemOf for a slice of at least OddLeast bytes that has more than its class's
// capacity. The item remembers what it has, in its own memory, which nobody else uses.
func OddItemOf(b []byte) Item {
	b, n := b[:OddLeast], uint32(cap(b))
	b[0], b[1], b[2], b[3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	return ItemOf(b)
}

// OddCapacity returns the capacity of what OddItemOf has made an item.
func (x Item) OddCapacity() uintptr {
	b := x.Slice(OddLeast, OddLeast)
	return uintptr(b[0]) | uintptr(b[1])<<8 | uintptr(b[2])<<16 | uintptr(b[3])<<24
}

// ItemOfObject returns x as an item, and Object returns the T of one.
//
// Sound: a row of classes has objects of one type alone.
func ItemOfObject[T any](x *T) Item { return Item{unsafe.Pointer(x)} }

func Object[T any](x Item) *T { return (*T)(x.p) }

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}
