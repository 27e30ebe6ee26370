package binary

import (
	"encoding/binary"
	"math/bits"
)

// The byte orders of encoding/binary, so that programs need not import both packages.
// They are variables only because constants cannot have their types; do not set them.
var (
	LittleEndian = binary.LittleEndian
	BigEndian    = binary.BigEndian
)

// is reports whether o has the type of the second argument. It compares one pointer,
// where a comparison of interfaces would call the runtime.
func is[T any](o binary.ByteOrder, _ T) bool {
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

func endianOf(o binary.ByteOrder) endian {
	native := is(o, binary.NativeEndian)
	switch {
	case o == nil:
		return unset
	case is(o, binary.LittleEndian), native && binary.NativeEndian.Uint16([]byte{1, 0}) == 1:
		return little
	case is(o, binary.BigEndian), native:
		return big
	}
	return unknown
}

// reverseLow reverses the low size bytes of v, whose other bytes must be zero.
func reverseLow(v uint64, size int) uint64 {
	return bits.ReverseBytes64(v) >> ((64 - 8*uint(size)) & 63)
}

// toUnknown returns a number whose first size bytes in little-endian order are those
// of v in the order o. It works in b, which is on the heap, because o may retain it.
func toUnknown(o binary.ByteOrder, v uint64, size int, b *[fieldMax]byte) uint64 {
	switch size {
	case 2:
		o.PutUint16(b[:2], uint16(v))
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
func fromUnknown(o binary.ByteOrder, v uint64, size int, b *[fieldMax]byte) uint64 {
	binary.LittleEndian.PutUint64(b[:], v)
	switch size {
	case 2:
		return uint64(o.Uint16(b[:2]))
	case 4:
		return uint64(o.Uint32(b[:4]))
	case 8:
		return o.Uint64(b[:8])
	}
	return v
}
