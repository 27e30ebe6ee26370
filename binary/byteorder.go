package binary

import "encoding/binary"

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
