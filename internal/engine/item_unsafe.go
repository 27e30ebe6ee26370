//go:build !octet_purego

package engine

import "unsafe"

// An item is idle memory: a pointer to its first byte. Its class knows its
// capacity, so that no slice header is boxed.
type item struct{ p unsafe.Pointer }

func (x item) some() bool { return x.p != nil }

// itemOf returns the memory of b.
func itemOf(b []byte) item { return item{unsafe.Pointer(unsafe.SliceData(b))} }

// slice returns the memory of x, of a class with the given capacity, as a slice of
// length n.
//
// Sound: an item of a class has at least the class's capacity, because Release files
// a slice under a class that is not above its own; and n is at most that, because a
// size's class is not below it. The header is built by hand because unsafe.Slice
// would check what is known, at 4 instructions a call.
func (x item) slice(n int, capacity uintptr) []byte {
	return *(*[]byte)(unsafe.Pointer(&sliceHeader{x.p, n, int(capacity)}))
}

// objectItem returns x as an item of [Objects], and object returns the T of one.
//
// Sound: an Objects has objects of its type alone.
func objectItem[T any](x *T) item { return item{unsafe.Pointer(x)} }

func object[T any](x item) *T { return (*T)(x.p) }

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}
