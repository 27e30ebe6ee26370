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

// ItemOfObject returns x as an item, and Object returns the T of one.
//
// Sound: a row of classes has objects of one type alone.
func ItemOfObject[T any](x *T) Item { return Item{unsafe.Pointer(x)} }

func Object[T any](x Item) *T { return (*T)(x.p) }

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}
