package binary

import (
	"encoding/binary"
	"math"
	"slices"
)

// Content that is preceded by its length. All methods panic with an [*Error] if the
// length does not fit its prefix; see [Appender].

// Bytes8 appends the length of p as 1 byte, then p: at most 255 bytes.
func (b Appender[O]) Bytes8(p []byte) Appender[O] {
	return b.Uint8(uint8(fits(len(p), math.MaxUint8, len(b)))).Bytes(p)
}

// Bytes16 appends the length of p as 2 bytes, then p: at most 65,535 bytes.
func (b Appender[O]) Bytes16(p []byte) Appender[O] {
	return b.Uint16(uint16(fits(len(p), math.MaxUint16, len(b)))).Bytes(p)
}

// Bytes24 appends the length of p as 3 bytes, then p: less than 16 MiB.
func (b Appender[O]) Bytes24(p []byte) Appender[O] {
	return b.Uint24(uint32(fits(len(p), maxUint24, len(b)))).Bytes(p)
}

// Bytes32 appends the length of p as 4 bytes, then p: less than 4 GiB.
func (b Appender[O]) Bytes32(p []byte) Appender[O] {
	return b.Uint32(uint32(fits(len(p), math.MaxUint32, len(b)))).Bytes(p)
}

// BytesVarint appends the length of p as an unsigned varint, then p.
func (b Appender[O]) BytesVarint(p []byte) Appender[O] {
	return b.Uvarint(uint64(len(p))).Bytes(p)
}

// String8 appends the length of s as 1 byte, then s: at most 255 bytes.
func (b Appender[O]) String8(s string) Appender[O] {
	return b.Uint8(uint8(fits(len(s), math.MaxUint8, len(b)))).String(s)
}

// String16 appends the length of s as 2 bytes, then s: at most 65,535 bytes.
func (b Appender[O]) String16(s string) Appender[O] {
	return b.Uint16(uint16(fits(len(s), math.MaxUint16, len(b)))).String(s)
}

// String32 appends the length of s as 4 bytes, then s: less than 4 GiB.
func (b Appender[O]) String32(s string) Appender[O] {
	return b.Uint32(uint32(fits(len(s), math.MaxUint32, len(b)))).String(s)
}

// StringVarint appends the length of s as an unsigned varint, then s.
func (b Appender[O]) StringVarint(s string) Appender[O] {
	return b.Uvarint(uint64(len(s))).String(s)
}

// Begin8 reserves 1 byte for a length and sets m. [Appender.End] fills in the length
// of what was appended in between. Spans nest, each with its own mark, and cost no
// allocation:
//
//	var record, extension binary.Mark
//	buf = binary.BE(buf).
//		Begin16(&record).
//		Uint16(version).
//		Begin16(&extension).Bytes(ext).End(&extension).
//		End(&record)
func (b Appender[O]) Begin8(m *Mark) Appender[O] {
	*m = Mark{at: int64(len(b)) + 1, outer: m.extra(), kind: prefix8}
	return append(b, 0)
}

// Begin16 is Begin8 for a length of 2 bytes.
func (b Appender[O]) Begin16(m *Mark) Appender[O] {
	*m = Mark{at: int64(len(b)) + 2, outer: m.extra(), kind: prefix16}
	return append(b, 0, 0)
}

// Begin24 is Begin8 for a length of 3 bytes.
func (b Appender[O]) Begin24(m *Mark) Appender[O] {
	*m = Mark{at: int64(len(b)) + 3, outer: m.extra(), kind: prefix24}
	return append(b, 0, 0, 0)
}

// Begin32 is Begin8 for a length of 4 bytes.
func (b Appender[O]) Begin32(m *Mark) Appender[O] {
	*m = Mark{at: int64(len(b)) + 4, outer: m.extra(), kind: prefix32}
	return append(b, 0, 0, 0, 0)
}

// BeginVarint is Begin8 for a length as an unsigned varint. It reserves one byte. If
// the content has 128 bytes or more, End moves it to make room for the others, so
// marks that were set inside the span must be used before End.
func (b Appender[O]) BeginVarint(m *Mark) Appender[O] {
	*m = Mark{at: int64(len(b)) + 1, outer: m.extra(), kind: prefixVarint}
	return append(b, 0)
}

// End fills in the length of what was appended since the Begin method that set m, and
// clears m. Inner spans must end before outer ones. End panics
// if m is not set, or if the content is too long for its prefix.
func (b Appender[O]) End(m *Mark) Appender[O] {
	b, err := endSpan(b, m.close(anAppender))
	if err != nil {
		panic(err)
	}
	return b
}

// endSpan fills in the prefix of the span from m to the end of b. The content stays
// in place, except behind a varint. To append to a part of b writes into b.
func endSpan[O Order](b Appender[O], m Mark) (Appender[O], *Error) {
	at := int(m.at)
	n := int64(len(b)-at) + m.outer
	if n < 0 {
		return b, &Error{Offset: m.at, Want: n, Err: ErrOverflow}
	}
	most := uint64(math.MaxUint64)
	switch m.kind {
	case prefix8:
		b[at-1] = byte(n)
		most = math.MaxUint8
	case prefix16:
		b[:at-2].Uint16(uint16(n))
		most = math.MaxUint16
	case prefix24:
		b[:at-3].Uint24(uint32(n))
		most = maxUint24
	case prefix32:
		b[:at-4].Uint32(uint32(n))
		most = math.MaxUint32
	case prefixVarint:
		b = endVarint(b, at, uint64(n))
	}
	if uint64(n) > most {
		return b, tooLong(n, most, at)
	}
	return b, nil
}

// endVarint writes n in front of b[at:], where one byte is reserved.
func endVarint(b []byte, at int, n uint64) []byte {
	if n < 0x80 {
		b[at-1] = byte(n)
		return b
	}
	var prefix [binary.MaxVarintLen64]byte
	return slices.Replace(b, at-1, at, binary.AppendUvarint(prefix[:0], n)...)
}

const maxUint24 = 1<<24 - 1

// fits returns n. It panics if n exceeds most, the largest length that its prefix can
// hold. The prefix begins at offset at.
func fits(n int, most uint64, at int) int {
	if uint64(n) > most {
		panic(tooLong(int64(n), most, at))
	}
	return n
}

// tooLong returns the error for content of n bytes whose prefix can hold lengths up
// to most. At is the offset of the content or of the prefix.
func tooLong(n int64, most uint64, at int) *Error {
	return &Error{Offset: int64(at), Want: n, Have: int64(most), Err: ErrOverflow}
}
