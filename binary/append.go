package binary

import (
	"encoding/binary"
	"math"
)

// LE and BE append to a byte slice in little- and big-endian order. Each method
// returns the extended slice, so calls form a chain. The result can be assigned to a
// []byte without a conversion:
//
//	buf = binary.BE(buf).Uint16(id).Uint16(flags).String8(name)
type (
	LE = Appender[Little]
	BE = Appender[Big]
)

// An Appender is a byte slice with methods that append values in the byte order O.
// Most programs use it under the names [LE] and [BE].
//
// It is a slice and nothing else, so it stays in registers. The methods for numbers
// are inlined and cost as much as the append functions of encoding/binary. As with
// the built-in append, the result may share the array of the receiver or have a new
// one, and it takes the place of the receiver. Methods retain none of their
// arguments.
//
// An Appender has no room for an error. If content is too long for its length
// prefix, the method panics with an [*Error] that wraps [ErrOverflow]. Check lengths
// that come from outside first, or use a [StreamEncoder], which returns an error
// instead.
type Appender[O Order] []byte

// Bool appends a byte: 1 for true, 0 for false.
func (b Appender[O]) Bool(v bool) Appender[O] {
	var x byte
	if v {
		x = 1
	}
	return append(b, x)
}

// Uint8 appends a byte.
func (b Appender[O]) Uint8(v uint8) Appender[O] { return append(b, v) }

// Int8 appends a byte.
func (b Appender[O]) Int8(v int8) Appender[O] { return append(b, byte(v)) }

// Uint16 appends 2 bytes.
func (b Appender[O]) Uint16(v uint16) Appender[O] {
	if isBig[O]() {
		return binary.BigEndian.AppendUint16(b, v)
	}
	return binary.LittleEndian.AppendUint16(b, v)
}

// Int16 appends 2 bytes.
func (b Appender[O]) Int16(v int16) Appender[O] { return b.Uint16(uint16(v)) }

// Uint24 appends the 3 low bytes of v and drops the highest.
func (b Appender[O]) Uint24(v uint32) Appender[O] {
	if isBig[O]() {
		return append(b, byte(v>>16), byte(v>>8), byte(v))
	}
	return append(b, byte(v), byte(v>>8), byte(v>>16))
}

// Uint32 appends 4 bytes.
func (b Appender[O]) Uint32(v uint32) Appender[O] {
	if isBig[O]() {
		return binary.BigEndian.AppendUint32(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, v)
}

// Int32 appends 4 bytes.
func (b Appender[O]) Int32(v int32) Appender[O] { return b.Uint32(uint32(v)) }

// Uint64 appends 8 bytes.
func (b Appender[O]) Uint64(v uint64) Appender[O] {
	if isBig[O]() {
		return binary.BigEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint64(b, v)
}

// Int64 appends 8 bytes.
func (b Appender[O]) Int64(v int64) Appender[O] { return b.Uint64(uint64(v)) }

// Float32 appends v in IEEE 754 format, as 4 bytes.
func (b Appender[O]) Float32(v float32) Appender[O] { return b.Uint32(math.Float32bits(v)) }

// Float64 appends v in IEEE 754 format, as 8 bytes.
func (b Appender[O]) Float64(v float64) Appender[O] { return b.Uint64(math.Float64bits(v)) }

// Uvarint appends v with 7 bits per byte, as encoding/binary and Protocol Buffers
// do. It takes 1 to 10 bytes, the lowest bits first in either byte order.
func (b Appender[O]) Uvarint(v uint64) Appender[O] {
	if v < 0x80 {
		return append(b, byte(v))
	}
	return binary.AppendUvarint(b, v)
}

// Varint appends v as an unsigned varint in zigzag form, in which numbers near zero
// are short whatever their sign.
func (b Appender[O]) Varint(v int64) Appender[O] { return b.Uvarint(uint64(v<<1) ^ uint64(v>>63)) }

// Bytes appends p, without a length.
func (b Appender[O]) Bytes(p []byte) Appender[O] { return append(b, p...) }

// String appends s, without a length.
func (b Appender[O]) String(s string) Appender[O] { return append(b, s...) }

// Pad appends n zeros. It panics if n is negative.
func (b Appender[O]) Pad(n int) Appender[O] { return append(b, make([]byte, n)...) }

// Align appends zeros until the length, counted from start, is a multiple of n. Start
// is 0, or the length at which a record begins that has its own alignment. Align
// panics if n is not positive.
func (b Appender[O]) Align(n, start int) Appender[O] { return b.Pad(padding(int64(len(b)-start), n)) }

// padding returns how many bytes size lacks to a multiple of n.
func padding(size int64, n int) int {
	if n <= 0 {
		panic("binary: Align to a multiple that is not positive")
	}
	over := int(size % int64(n))
	if over > 0 {
		return n - over
	}
	return -over // a negative size lies before start: this many bytes up to a multiple
}
