//go:build !octet_purego

package engine

import "unsafe"

// An item is idle memory: a pointer to its first byte. Its class knows its
// capacity, so that no slice header is boxed.
type item struct{ p unsafe.Pointer }

func (x item) some() bool { return x.p != nil }

// itemOf returns the memory of b.
func itemOf(b []byte) item { return item{unsafe.Pointer(unsafe.SliceData(b))} }

// slice returns the memory of x, of class k, as a slice of length n.
//
// Sound: an item of class k has at least 1<<k bytes, because Release files a
// slice under a class that is not above its capacity; and n is at most 1<<k,
// because a size's class is not below it. The header is built by hand because
// unsafe.Slice would check what is known, at 4 instructions a call.
func (x item) slice(n, k int) []byte {
	return *(*[]byte)(unsafe.Pointer(&sliceHeader{x.p, n, 1 << (uint(k) % 64)}))
}

// objectItem returns x as an item of [Objects], and object returns the T of one.
//
// Sound: the objects of a pool are of one type.
func objectItem[T any](x *T) item { return item{unsafe.Pointer(x)} }

func object[T any](x item) *T { return (*T)(x.p) }

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}
