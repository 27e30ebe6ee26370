//go:build octet_purego

package engine

// An item is idle memory, or an object that keeps some.
type item struct {
	b []byte
	o any
}

func (x item) some() bool { return x.b != nil || x.o != nil }

// itemOf returns the memory of b.
func itemOf(b []byte) item { return item{b: b} }

// slice returns the memory of x, of a class with the given capacity, as a slice of
// length n.
func (x item) slice(n int, capacity uintptr) []byte { return x.b[:n:capacity] }

// objectItem returns x as an item of [Objects], and object returns the T of one.
func objectItem[T any](x *T) item { return item{o: x} }

func object[T any](x item) *T {
	p, _ := x.o.(*T)
	return p
}
