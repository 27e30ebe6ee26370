package binary

import (
	"encoding/binary"
	"io"
	"math"
)

// LEDecoder and BEDecoder read little- and big-endian input. [DecodeLE] and
// [DecodeBE] make them.
type (
	LEDecoder = Decoder[Little]
	BEDecoder = Decoder[Big]
)

// A Decoder reads values one after another from a byte slice, in the byte order O.
// It is used under the names [LEDecoder] and [BEDecoder].
//
// The first read that finds too little, or something wrong, makes the Decoder
// fail: it and all reads after it return zero and move nothing, so that one look
// at [Decoder.Err] after a group of reads is enough. A loop whose count comes from
// the input should look at Err, or at [Decoder.Len], in each turn.
//
// Nothing is allocated except for strings and for an error, and never more than
// the input is long, whatever the lengths in it say. Slices that a Decoder returns
// are parts of the input, without spare capacity, unless said otherwise.
//
// The zero value reads an empty input. A copy of a Decoder is a second one at the
// same place, which makes it a bookmark. A Decoder must not be used by several
// goroutines at once.
type Decoder[O Order] struct {
	order O // only for its length; see Order
	in    input
	n     uint64 // how far reads may go: to the end of the span, or of the input

	// off is where the next read begins, or once the Decoder has failed, where
	// the read began that did, with the bit failed set. An off with that bit is
	// beyond the end of any input, so that the check that every read needs is
	// also the check for earlier failures, and it stays as it is from then on.
	//
	// The reads of numbers tell in the 7 bits below how much they wanted, rather
	// than in a field of its own: a store there that only a failing read does
	// would make the compiler load off again after every read.
	off uint64

	// note is a string, what Field said last, and once the failure was asked for,
	// or was no lack of bytes, the *Error. One field for both, and the next one for
	// two purposes, because a Decoder is made for every message: two words more
	// cost a tenth of the time of a short one.
	note any

	// size is n before the outermost span was opened, which is the length of the
	// input; 0 if none was yet. After a failure it is what was wanted, if off does
	// not tell.
	size uint64
}

const (
	failed    = 1 << 63
	wantShift = 56
	wantMask  = failed - 1<<wantShift
	offMask   = 1<<wantShift - 1 // longer slices do not exist
)

// DecodeLE returns a Decoder that reads p in little-endian order. It does not copy
// p, which must not change while the Decoder or slices from it are in use.
func DecodeLE(p []byte) LEDecoder { return LEDecoder{in: newInput(p), n: uint64(len(p))} }

// DecodeBE is DecodeLE in big-endian order.
func DecodeBE(p []byte) BEDecoder { return BEDecoder{in: newInput(p), n: uint64(len(p))} }

// NewDecoder is DecodeLE or DecodeBE for functions that are generic over the
// order.
func NewDecoder[O Order](p []byte) Decoder[O] {
	return Decoder[O]{in: newInput(p), n: uint64(len(p))}
}

// The reads of numbers are inlined, and so are those that convert them: a test
// pins it. They are written out, because the inliner allows no helper that they
// could share, and without a call for the failure, which would cost most of what
// the inliner allows.

// Uint8 reads a byte.
func (d *Decoder[O]) Uint8() (v uint8) {
	i := d.off
	e := i + 1
	if e > d.n {
		if e = i; i < failed {
			e |= failed | 1<<wantShift
		}
	} else {
		v = d.in.at(i)
	}
	d.off = e
	return v
}

// Uint16 reads 2 bytes.
func (d *Decoder[O]) Uint16() (v uint16) {
	i := d.off
	e := i + 2
	if e > d.n {
		if e = i; i < failed {
			e |= failed | 2<<wantShift
		}
	} else if p := d.in.at2(i)[:]; len(d.order) == 0 {
		v = binary.LittleEndian.Uint16(p)
	} else {
		v = binary.BigEndian.Uint16(p)
	}
	d.off = e
	return v
}

// Uint24 reads 3 bytes.
func (d *Decoder[O]) Uint24() (v uint32) {
	i := d.off
	e := i + 3
	if e > d.n {
		if e = i; i < failed {
			e |= failed | 3<<wantShift
		}
	} else if p := d.in.at2(i)[:]; len(d.order) == 0 {
		v = uint32(binary.LittleEndian.Uint16(p)) | uint32(d.in.at(i+2))<<16
	} else {
		v = uint32(binary.BigEndian.Uint16(p))<<8 | uint32(d.in.at(i+2))
	}
	d.off = e
	return v
}

// Uint32 reads 4 bytes.
func (d *Decoder[O]) Uint32() (v uint32) {
	i := d.off
	e := i + 4
	if e > d.n {
		if e = i; i < failed {
			e |= failed | 4<<wantShift
		}
	} else if p := d.in.at4(i)[:]; len(d.order) == 0 {
		v = binary.LittleEndian.Uint32(p)
	} else {
		v = binary.BigEndian.Uint32(p)
	}
	d.off = e
	return v
}

// Uint48 reads 6 bytes.
func (d *Decoder[O]) Uint48() (v uint64) {
	i := d.off
	e := i + 6
	if e > d.n {
		if e = i; i < failed {
			e |= failed | 6<<wantShift
		}
	} else if p, q := d.in.at4(i)[:], d.in.at2(i + 4)[:]; len(d.order) == 0 {
		v = uint64(binary.LittleEndian.Uint32(p)) | uint64(binary.LittleEndian.Uint16(q))<<32
	} else {
		v = uint64(binary.BigEndian.Uint32(p))<<16 | uint64(binary.BigEndian.Uint16(q))
	}
	d.off = e
	return v
}

// Uint64 reads 8 bytes.
func (d *Decoder[O]) Uint64() (v uint64) {
	i := d.off
	e := i + 8
	if e > d.n {
		if e = i; i < failed {
			e |= failed | 8<<wantShift
		}
	} else if p := d.in.at8(i)[:]; len(d.order) == 0 {
		v = binary.LittleEndian.Uint64(p)
	} else {
		v = binary.BigEndian.Uint64(p)
	}
	d.off = e
	return v
}

// Bool reads a byte. Any value but 0 is true.
func (d *Decoder[O]) Bool() bool { return d.Uint8() != 0 }

// Int8 reads a byte.
func (d *Decoder[O]) Int8() int8 { return int8(d.Uint8()) }

// Int16 reads 2 bytes.
func (d *Decoder[O]) Int16() int16 { return int16(d.Uint16()) }

// Int24 reads 3 bytes in two's complement.
func (d *Decoder[O]) Int24() int32 { return int32(d.Uint24()<<8) >> 8 }

// Int32 reads 4 bytes.
func (d *Decoder[O]) Int32() int32 { return int32(d.Uint32()) }

// Int48 reads 6 bytes in two's complement.
func (d *Decoder[O]) Int48() int64 { return int64(d.Uint48()<<16) >> 16 }

// Int64 reads 8 bytes.
func (d *Decoder[O]) Int64() int64 { return int64(d.Uint64()) }

// Float32 reads 4 bytes in IEEE 754 format.
func (d *Decoder[O]) Float32() float32 { return math.Float32frombits(d.Uint32()) }

// Float64 reads 8 bytes in IEEE 754 format.
func (d *Decoder[O]) Float64() float64 { return math.Float64frombits(d.Uint64()) }

// Uvarint reads an unsigned number of 7 bits a byte, as [Appender.Uvarint] writes
// it: at most 10 bytes. One of more than 64 bits fails with [ErrOverflow].
func (d *Decoder[O]) Uvarint() uint64 {
	if i := d.off; i < d.n && d.in.at(i) < 0x80 {
		d.off = i + 1
		return uint64(d.in.at(i))
	}
	return d.uvarint()
}

func (d *Decoder[O]) uvarint() uint64 {
	rest := d.Peek(d.Len())
	v, n := binary.Uvarint(rest)
	switch {
	case n > 0:
		d.off += uint64(n)
	case n < 0, len(rest) >= binary.MaxVarintLen64:
		d.fail(&Error{Offset: int64(d.off), Err: ErrOverflow})
	default: // too little: the last byte says that there is another
		d.need(uint64(len(rest)) + 1)
	}
	return v
}

// Varint reads a signed number in zigzag form, as [Appender.Varint] writes it.
func (d *Decoder[O]) Varint() int64 {
	v := d.Uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// Len returns how many bytes are left before the end of the input, or of the span
// that a Begin opened; 0 after a failure.
func (d *Decoder[O]) Len() int {
	if d.ok() {
		return int(d.n - d.off)
	}
	return 0
}

// Offset returns how many bytes were read; after a failure, where the read began
// that failed. In a decoder from [Decoder.Sub] it counts from the start of the
// whole input.
func (d *Decoder[O]) Offset() int { return int(d.off & offMask) }

// Field gives the reads that follow a name, for the error: that of the last Field
// before the read that fails is reported. It returns d:
//
//	count := d.Field("question count").Uint16()
//
// A constant name costs a comparison and a store; any other is allocated.
func (d *Decoder[O]) Field(name string) *Decoder[O] {
	if d.ok() {
		d.note = name
	}
	return d
}

// ok reports whether d has not failed. (Comparing with failed takes a register.)
func (d *Decoder[O]) ok() bool { return int64(d.off) >= 0 }

// Err returns what was wrong, as an [*Error], or nil.
func (d *Decoder[O]) Err() error {
	if d.ok() {
		return nil
	}
	return d.report()
}

// report returns the error, always the same. It is kept out of line so that Err is
// not.
//
//go:noinline
func (d *Decoder[O]) report() *Error { return unlink(d.failure()) }

// Done returns what Err returns, or an [ErrTrailing] if the Decoder has not read
// all of its input.
func (d *Decoder[O]) Done() error {
	if d.off < d.n {
		return d.trailing()
	}
	return d.Err()
}

func (d *Decoder[O]) trailing() *Error {
	return &Error{Offset: int64(d.off), Field: d.name(), Have: int64(d.Len()), Err: ErrTrailing}
}

// Fail makes the Decoder fail here, for a reason of the caller's, such as a value
// that the format does not allow. A Decoder that has failed already keeps its
// first error; a nil err does nothing.
func (d *Decoder[O]) Fail(err error) {
	if err != nil && d.ok() {
		d.fail(&Error{Offset: int64(d.off), Err: err})
	}
}

// need fails if less than n bytes are left.
func (d *Decoder[O]) need(n uint64) bool {
	if d.ok() && n > uint64(d.Len()) {
		d.lack(n)
	}
	return d.ok()
}

// lack makes d fail for want of n bytes. It must not have failed yet.
func (d *Decoder[O]) lack(n uint64) {
	d.size = n
	d.off |= failed
}

// fail makes d fail with e. It must not have failed yet.
func (d *Decoder[O]) fail(e *Error) {
	e.Field = d.name()
	d.note = e
	d.off = uint64(e.Offset) | failed
}

// name is what Field said last.
func (d *Decoder[O]) name() string {
	name, _ := d.note.(string)
	return name
}

// failure returns the error, and makes one of what a read left that lacked bytes. n
// is as it was then.
func (d *Decoder[O]) failure() *Error {
	if e, ok := d.note.(*Error); ok {
		return e
	}
	want := int64(d.off & wantMask >> wantShift)
	if want == 0 {
		want = int64(d.size)
	}
	e := &Error{Offset: int64(d.off & offMask), Want: want}
	e.Have = int64(d.n) - e.Offset
	switch {
	case want < 0: // a negative length
		e.Want, e.Have, e.Err = 0, 0, ErrOverflow
	case e.Have == 0:
		e.Err = io.EOF
	default:
		e.Err = io.ErrUnexpectedEOF
	}
	d.fail(e)
	return e
}
