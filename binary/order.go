package binary

import "encoding/binary"

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
