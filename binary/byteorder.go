package binary

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A ByteOrder is the order of the bytes of a number, for functions that learn it at
// run time. It is the interface of encoding/binary, and the values of both packages
// are the same. [LittleEndian], [BigEndian] and [NativeEndian] are recognized and fast.
// Any other implementation works too, through its methods.
type ByteOrder = binary.ByteOrder

// The byte orders of encoding/binary, so that programs need not import both packages.
// They are variables only because constants cannot have their types; do not set them.
var (
	LittleEndian = binary.LittleEndian
	BigEndian    = binary.BigEndian
	NativeEndian = binary.NativeEndian // the order of the machine
)

// is reports whether o has the type of the second argument. It compares one pointer,
// where a comparison of interfaces would call the runtime.
func is[T any](o ByteOrder, _ T) bool {
	_, ok := o.(T)
	return ok
}

// An endian is a byte order as a small number, for switches.
type endian uint8

const (
	unset endian = iota // a nil ByteOrder
	little
	big
	unknown // another implementation of ByteOrder
)

// host is the order of this machine.
var host = hostEndian()

func hostEndian() endian {
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
		return big
	}
	return little
}

// swapped reports whether o is the opposite of the machine's order. Known is false if
// o is neither LittleEndian nor BigEndian.
func swapped(o ByteOrder) (swapped, known bool) {
	if is(o, binary.LittleEndian) {
		return host == big, true
	}
	return host == little, is(o, binary.BigEndian)
}

func endianOf(o ByteOrder) endian {
	switch {
	case is(o, binary.LittleEndian):
		return little
	case is(o, binary.BigEndian):
		return big
	case is(o, binary.NativeEndian):
		return host
	case o == nil:
		return unset
	}
	return unknown
}

// reverseLow reverses the low size bytes of v, whose other bytes must be zero.
func reverseLow(v uint64, size int) uint64 {
	return bits.ReverseBytes64(v) >> ((64 - 8*uint(size)) & 63)
}

// toUnknown returns a number whose first size bytes in little-endian order are those
// of v in the order o. It works in b, which is on the heap, because o may retain it.
func toUnknown(o ByteOrder, v uint64, size int, b *[fieldMax]byte) uint64 {
	switch size {
	case 2:
		o.PutUint16(b[:2], uint16(v))
	case 3:
		top := topByte(o, b)
		o.PutUint32(b[:4], uint32(v))
		copy(b[top:3], b[top+1:4])
	case 4:
		o.PutUint32(b[:4], uint32(v))
	case 8:
		o.PutUint64(b[:8], v)
	default:
		return v
	}
	return pick(b[:], size)
}

// fromUnknown is the inverse of toUnknown.
func fromUnknown(o ByteOrder, v uint64, size int, b *[fieldMax]byte) uint64 {
	top := 0
	if size == 3 {
		top = topByte(o, b)
	}
	binary.LittleEndian.PutUint64(b[:], v)
	switch size {
	case 2:
		return uint64(o.Uint16(b[:2]))
	case 3:
		copy(b[top+1:4], b[top:3])
		b[top] = 0
		return uint64(o.Uint32(b[:4]))
	case 4:
		return uint64(o.Uint32(b[:4]))
	case 8:
		return o.Uint64(b[:8])
	}
	return v
}

// topByte returns the index of the byte that has the highest bits of a uint32. A
// ByteOrder has no method for 24 bits; they are 32 bits without that byte.
func topByte(o ByteOrder, b *[fieldMax]byte) int {
	o.PutUint32(b[:4], 0xff000000)
	return bytes.IndexByte(b[:3], 0xff) & 3 // -1, not found, becomes 3
}
