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

// An oddStack is a stack that remembers the capacities of its items.
type oddStack struct {
	stack
	capacities [slots + 1]uintptr
}

// newStack returns an empty stack, of an odd class if odd is set.
func newStack(odd bool) *stack {
	if odd {
		return &new(oddStack).stack
	}
	return new(stack)
}

// note remembers that the item at i has the given capacity, and capacity returns it.
//
// Sound: the stacks of odd classes are oddStacks. The holder of a record notes the
// capacity of each item that it pushes.
func (s *stack) note(i uint32, capacity int) {
	(*oddStack)(unsafe.Pointer(s)).capacities[i%uint32(len(s))] = uintptr(capacity)
}

func (s *stack) capacity(i uint32) uintptr {
	return (*oddStack)(unsafe.Pointer(s)).capacities[i%uint32(len(s))]
}

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}
