//go:build octet_purego

package magazine

// An Item is idle memory, or an object that keeps some.
type Item struct {
	b []byte
	o any
}

// Some reports whether x is an item, and not none.
func (x Item) Some() bool { return x.b != nil || x.o != nil }

// ItemOf returns the memory of b.
func ItemOf(b []byte) Item { return Item{b: b} }

// Slice returns the memory of x, of a class with the given capacity, as a slice of
// length n.
func (x Item) Slice(n int, capacity uintptr) []byte { return x.b[:n:capacity] }

// OddItemOf is ItemOf for a slice of at least OddLeast bytes that has more than its class's
// capacity, and OddCapacity returns that.
func OddItemOf(b []byte) Item { return ItemOf(b) }

func (x Item) OddCapacity() uintptr { return uintptr(cap(x.b)) }

// ItemOfObject returns x as an item, and Object returns the T of one.
func ItemOfObject[T any](x *T) Item { return Item{o: x} }

func Object[T any](x Item) *T {
	p, _ := x.o.(*T)
	return p
}
