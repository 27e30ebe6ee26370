package binary

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A ByteOrder says in which order the bytes of a number follow one another. It is
// the interface of encoding/binary, and the values of either package serve in the
// other. [LittleEndian], [BigEndian] and [NativeEndian] are recognized and cost
// nothing; any other implementation works, through its methods.
type ByteOrder = binary.ByteOrder

// The byte orders of encoding/binary, so that a program needs to import only one
// of the packages. They are variables because a constant cannot have their type;
// nothing is gained by setting them.
var (
	LittleEndian = binary.LittleEndian
	BigEndian    = binary.BigEndian
	NativeEndian = binary.NativeEndian // the order of the machine
)

// is reports whether o is the order that the second argument shows by its type.
// It compares one pointer; comparing interfaces calls the runtime.
func is[T any](o ByteOrder, _ T) bool {
	_, ok := o.(T)
	return ok
}

// An endian is a byte order in one word, for those who ask more than once.
type endian uint8

const (
	unset endian = iota // a nil ByteOrder
	little
	big
	unknown // only the ByteOrder's methods know
)

// host is the order of this machine.
var host = hostEndian()

func hostEndian() endian {
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
		return big
	}
	return little
}

// swapped reports whether o is the opposite of the machine's order, if it is
// LittleEndian or BigEndian.
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

// reverseLow reverses the lower size bytes of v; the others must be zero if the
// result's are to be.
func reverseLow(v uint64, size int) uint64 {
	return bits.ReverseBytes64(v) >> ((64 - 8*uint(size)) & 63)
}

// toUnknown returns a number whose first size bytes in little-endian order are
// those of v in the order o. It works in b, since o may keep what it is given.
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

// fromUnknown undoes what toUnknown does.
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

// topByte returns which of the four bytes of an uint32 has its highest bits. A
// ByteOrder knows nothing of 24 bits: they are those of 32 without that byte.
func topByte(o ByteOrder, b *[fieldMax]byte) int {
	o.PutUint32(b[:4], 0xff000000)
	return bytes.IndexByte(b[:3], 0xff) & 3 // not found is 3
}
