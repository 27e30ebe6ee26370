package binary

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

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
