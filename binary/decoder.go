package binary

import (
	"encoding/binary"
	"io"
	"math"
)

// LEDecoder and BEDecoder read little- and big-endian input. [DecodeLE] and
// [DecodeBE] return them.
type (
	LEDecoder = Decoder[Little]
	BEDecoder = Decoder[Big]
)

// A Decoder reads values one after another from a byte slice, in the byte order O.
// Most programs use it under the names [LEDecoder] and [BEDecoder].
//
// The first read that finds too few bytes, or wrong ones, makes the Decoder fail.
// That read and all later ones return zero and consume nothing, so it is enough to
// call [Decoder.Err] once after a group of reads. A loop whose count comes from the
// input should check Err or [Decoder.Len] in each iteration.
//
// A Decoder allocates only strings and its error, and never more than the length of
// the input, whatever lengths the input claims. Unless documented otherwise, the
// slices it returns are parts of the input, with no spare capacity.
//
// The zero value reads an empty input. A copy of a Decoder goes on from the same
// offset independently, so it can serve as a bookmark. A Decoder must not be used by
// several goroutines at once.
type Decoder[O Order] struct {
	in input
	n  uint64 // where reads must stop: the end of the span, or of the input

	// off is the offset of the next read. After a failure it is the offset of the
	// read that failed, with the bit failed set, and does not change any more. An
	// off with that bit is beyond the end of any input, so the bounds check that
	// every read makes is also the check for an earlier failure.
	//
	// A failed read of a number puts the number of bytes it wanted into the 7 bits
	// below. It does not use a field of its own for that, because a store to another
	// field would make the compiler load off again after every read.
	off uint64

	// note is the name given to Field, a string, or the *Error, once it exists: if
	// the failure is not a lack of bytes, or if it was asked for. It is one field
	// for both, and size has two uses as well, because a Decoder is made for every
	// message: two words more made a short message a tenth slower.
	note any

	// size is the value that n had before the outermost span began, which is the
	// length of the input, or 0 if there was no span yet, with the bit canonical. After
	// a failure it is the number of bytes wanted, unless off has it.
	size uint64
}

const (
	failed    = 1 << 63
	wantShift = 56
	wantMask  = failed - 1<<wantShift
	offMask   = 1<<wantShift - 1 // longer slices do not exist
	canonical = 1 << 63          // in size
)

// DecodeLE returns a Decoder that reads p in little-endian order. It does not copy
// p. The caller must not modify p while the Decoder, or a slice from it, is in use.
func DecodeLE(p []byte) LEDecoder { return LEDecoder{in: newInput(p), n: uint64(len(p))} }

// DecodeBE is like [DecodeLE], in big-endian order.
func DecodeBE(p []byte) BEDecoder { return BEDecoder{in: newInput(p), n: uint64(len(p))} }

// NewDecoder is [DecodeLE] or [DecodeBE], for functions that are generic over the byte
// order.
func NewDecoder[O Order](p []byte) Decoder[O] {
	return Decoder[O]{in: newInput(p), n: uint64(len(p))}
}

// The methods that read numbers are inlined, and so are those that convert their
// results; a test pins that. They repeat each other because a shared helper would
// exceed the inliner's budget, and they do not call a function when they fail
// because the call alone would take up most of it.

// Uint8 reads a byte.
func (d *Decoder[O]) Uint8() (v uint8) {
	i := d.off
	e := i + 1
	if e > d.n {
		e = max(i, i+(failed|1<<wantShift))
	} else {
		v = d.in.at(i)
	}
	d.off = e
	return v
}

// Uint16 reads 2 bytes.
func (d *Decoder[O]) Uint16() (v uint16) {
	var o O
	i := d.off
	e := i + 2
	if e > d.n {
		e = max(i, i+(failed|2<<wantShift))
	} else if p := d.in.at2(i)[:]; len(o) == len(Little{}) {
		v = binary.LittleEndian.Uint16(p)
	} else {
		v = binary.BigEndian.Uint16(p)
	}
	d.off = e
	return v
}

// Uint24 reads 3 bytes.
func (d *Decoder[O]) Uint24() (v uint32) {
	var o O
	i := d.off
	e := i + 3
	if e > d.n {
		e = max(i, i+(failed|3<<wantShift))
	} else if p := d.in.at2(i)[:]; len(o) == len(Little{}) {
		v = uint32(binary.LittleEndian.Uint16(p)) | uint32(d.in.at(i+2))<<16
	} else {
		v = uint32(binary.BigEndian.Uint16(p))<<8 | uint32(d.in.at(i+2))
	}
	d.off = e
	return v
}

// Uint32 reads 4 bytes.
func (d *Decoder[O]) Uint32() (v uint32) {
	var o O
	i := d.off
	e := i + 4
	if e > d.n {
		e = max(i, i+(failed|4<<wantShift))
	} else if p := d.in.at4(i)[:]; len(o) == len(Little{}) {
		v = binary.LittleEndian.Uint32(p)
	} else {
		v = binary.BigEndian.Uint32(p)
	}
	d.off = e
	return v
}

// Uint64 reads 8 bytes.
func (d *Decoder[O]) Uint64() (v uint64) {
	var o O
	i := d.off
	e := i + 8
	if e > d.n {
		e = max(i, i+(failed|8<<wantShift))
	} else if p := d.in.at8(i)[:]; len(o) == len(Little{}) {
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

// Int32 reads 4 bytes.
func (d *Decoder[O]) Int32() int32 { return int32(d.Uint32()) }

// Int64 reads 8 bytes.
func (d *Decoder[O]) Int64() int64 { return int64(d.Uint64()) }

// Float32 reads 4 bytes in IEEE 754 format.
func (d *Decoder[O]) Float32() float32 { return math.Float32frombits(d.Uint32()) }

// Float64 reads 8 bytes in IEEE 754 format.
func (d *Decoder[O]) Float64() float64 { return math.Float64frombits(d.Uint64()) }

// Uvarint reads an unsigned number with 7 bits per byte, as [Appender.Uvarint] writes
// it, from at most 10 bytes. If it exceeds 64 bits, Uvarint fails with [ErrOverflow].
// Forms that are longer than necessary are read as well, as encoding/binary does, so a
// number has several forms; see [Decoder.Canonical].
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
	case n > 1 && rest[n-1] == 0 && d.size&canonical != 0:
		d.fail(&Error{Offset: int64(d.off), Err: errOverlong})
		return 0
	case n > 0:
		d.off += uint64(n)
	case n < 0, len(rest) >= binary.MaxVarintLen64:
		d.fail(&Error{Offset: int64(d.off), Err: ErrOverflow})
	default: // the last byte announces another
		d.need(uint64(len(rest)) + 1)
	}
	return v
}

// Varint reads a signed number in zigzag form, as [Appender.Varint] writes it.
func (d *Decoder[O]) Varint() int64 {
	v := d.Uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// Canonical makes all later varints fail that are longer than necessary, also those of
// lengths. It is for formats in which a value must have one form only, for example
// because it is signed or compared by its bytes.
func (d *Decoder[O]) Canonical() {
	if d.ok() {
		d.size |= canonical
	}
}

// Len returns the number of bytes left in the innermost span, or in the input if no
// span is open. After a failure it returns 0.
func (d *Decoder[O]) Len() int {
	if d.ok() {
		return int(d.n - d.off)
	}
	return 0
}

// Offset returns the number of bytes read. After a failure it returns the offset at
// which the failed read began.
func (d *Decoder[O]) Offset() int { return int(d.off & offMask) }

// Field names the reads that follow, until the next Field. If one of them fails, its
// [Error] has the name. Field returns d:
//
//	count := d.Field("question count").Uint16()
//
// A name stays for all reads of a list, for example. Where reads without a name follow,
// call Field("") first, or the error of a later read has a name that is not its own.
//
// It costs a comparison and a store if the name is a constant, and an allocation
// otherwise.
func (d *Decoder[O]) Field(name string) *Decoder[O] {
	if d.ok() {
		d.note = name
	}
	return d
}

// ok reports whether d has not failed. (A comparison with failed takes a register.)
func (d *Decoder[O]) ok() bool { return int64(d.off) >= 0 }

// Err returns the first failure, as an [*Error], or nil. It returns the same error
// every time.
func (d *Decoder[O]) Err() error {
	if d.ok() {
		return nil
	}
	return d.report()
}

// report is kept out of line so that Err can be inlined.
//
//go:noinline
func (d *Decoder[O]) report() *Error { return unlink(d.failure()) }

// Done is Err for the end of the input: if the Decoder has not failed but bytes are
// left, it returns an [*Error] that wraps [ErrTrailing].
func (d *Decoder[O]) Done() error {
	if d.off < d.n {
		return d.trailing()
	}
	return d.Err()
}

func (d *Decoder[O]) trailing() *Error {
	return &Error{Offset: int64(d.off), Field: d.name(), Have: int64(d.Len()), Err: ErrTrailing}
}

// Fail makes the Decoder fail at the current offset with the caller's error, for
// example because the format does not allow a value. If the Decoder has failed
// before, or err is nil, Fail does nothing.
func (d *Decoder[O]) Fail(err error) {
	if err != nil && d.ok() {
		d.fail(&Error{Offset: int64(d.off), Err: err})
	}
}

// need fails if fewer than n bytes are left.
func (d *Decoder[O]) need(n uint64) bool {
	if d.ok() && n > uint64(d.Len()) {
		d.lack(n)
	}
	return d.ok()
}

// lack makes d fail because it wants n bytes. D must not have failed yet.
func (d *Decoder[O]) lack(n uint64) {
	d.size = n
	d.off |= failed
}

// fail makes d fail with e. D must not have failed yet.
func (d *Decoder[O]) fail(e *Error) {
	e.Field = d.name()
	d.note = e
	d.off = uint64(e.Offset) | failed
}

// name returns the name given to Field last.
func (d *Decoder[O]) name() string {
	name, _ := d.note.(string)
	return name
}

// failure returns the error. If a read lacked bytes, failure makes the error from what
// the read left in off and size; n has not changed since.
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
	case want < 0: // a negative count
		e.Have, e.Err = 0, ErrOverflow
	case e.Have == 0:
		e.Err = io.EOF
	default:
		e.Err = io.ErrUnexpectedEOF
	}
	d.fail(e)
	return e
}
