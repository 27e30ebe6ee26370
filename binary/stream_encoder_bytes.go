package binary

import (
	"math"
)

// Bytes encodes p, without a length. If p is larger than the buffer, it is not copied
// but passed to the Writer.
func (e *StreamEncoder[O]) Bytes(p []byte) *StreamEncoder[O] {
	if len(p) > e.size-len(e.buf) && e.open == 0 {
		e.flush()
		if e.err == nil && len(p) > e.size {
			e.send(p)
			return e
		}
	}
	if len(p) > e.size && e.err != nil {
		return e // not even copied
	}
	return e.put(e.tail().Bytes(p))
}

// String encodes s, without a length.
func (e *StreamEncoder[O]) String(s string) *StreamEncoder[O] {
	for len(s) > e.size-len(e.buf) && e.open == 0 && e.err == nil {
		n := e.size - len(e.buf)
		e.buf = e.tail().String(s[:n])
		e.flush()
		s = s[n:]
	}
	if len(s) > e.size && e.err != nil {
		return e // not even copied
	}
	return e.put(e.tail().String(s))
}

// Write is Bytes with the results of an [io.Writer]. It returns the number of bytes
// encoded, which may still be in the buffer.
func (e *StreamEncoder[O]) Write(p []byte) (int, error) {
	if e.err == nil {
		e.Bytes(p)
	}
	if e.err != nil {
		return 0, e.err
	}
	return len(p), nil
}

// Pad encodes n zeros. It panics if n is negative.
func (e *StreamEncoder[O]) Pad(n int) *StreamEncoder[O] {
	for ; n > e.size && e.open == 0 && e.err == nil; n -= e.size {
		e.flush()
		e.put(e.tail().Pad(e.size))
	}
	if n > e.size && e.err != nil {
		return e // not even made
	}
	return e.put(e.tail().Pad(n))
}

// Align encodes zeros until the offset, counted from start, is a multiple of n; see
// [Appender.Align]. It panics if n is not positive.
func (e *StreamEncoder[O]) Align(n int, start int64) *StreamEncoder[O] {
	return e.Pad(padding(e.Offset()-start, n))
}

// Bytes8 encodes the length of p as 1 byte, then p: at most 255 bytes.
func (e *StreamEncoder[O]) Bytes8(p []byte) *StreamEncoder[O] {
	e.fits(len(p), math.MaxUint8)
	return e.Uint8(uint8(len(p))).Bytes(p)
}

// String8 encodes the length of s as 1 byte, then s: at most 255 bytes.
func (e *StreamEncoder[O]) String8(s string) *StreamEncoder[O] {
	e.fits(len(s), math.MaxUint8)
	return e.Uint8(uint8(len(s))).String(s)
}

// Bytes16 encodes the length of p as 2 bytes, then p: at most 65,535 bytes.
func (e *StreamEncoder[O]) Bytes16(p []byte) *StreamEncoder[O] {
	e.fits(len(p), math.MaxUint16)
	return e.Uint16(uint16(len(p))).Bytes(p)
}

// String16 encodes the length of s as 2 bytes, then s: at most 65,535 bytes.
func (e *StreamEncoder[O]) String16(s string) *StreamEncoder[O] {
	e.fits(len(s), math.MaxUint16)
	return e.Uint16(uint16(len(s))).String(s)
}

// Bytes24 encodes the length of p as 3 bytes, then p: less than 16 MiB.
func (e *StreamEncoder[O]) Bytes24(p []byte) *StreamEncoder[O] {
	e.fits(len(p), maxUint24)
	return e.Uint24(uint32(len(p))).Bytes(p)
}

// Bytes32 encodes the length of p as 4 bytes, then p: less than 4 GiB.
func (e *StreamEncoder[O]) Bytes32(p []byte) *StreamEncoder[O] {
	e.fits(len(p), math.MaxUint32)
	return e.Uint32(uint32(len(p))).Bytes(p)
}

// String32 encodes the length of s as 4 bytes, then s: less than 4 GiB.
func (e *StreamEncoder[O]) String32(s string) *StreamEncoder[O] {
	e.fits(len(s), math.MaxUint32)
	return e.Uint32(uint32(len(s))).String(s)
}

// BytesVarint encodes the length of p as an unsigned varint, then p.
func (e *StreamEncoder[O]) BytesVarint(p []byte) *StreamEncoder[O] {
	return e.Uvarint(uint64(len(p))).Bytes(p)
}

// StringVarint encodes the length of s as an unsigned varint, then s.
func (e *StreamEncoder[O]) StringVarint(s string) *StreamEncoder[O] {
	return e.Uvarint(uint64(len(s))).String(s)
}

// Begin8 reserves 1 byte for a length and sets m. [StreamEncoder.End] fills in the
// length of what was encoded in between. Spans nest, each with its own mark. Nothing
// is written until the outermost span ends.
func (e *StreamEncoder[O]) Begin8(m *Mark) *StreamEncoder[O] { return e.begin(m, e.tail().Begin8(m)) }

// Begin16 is Begin8 for a length of 2 bytes.
func (e *StreamEncoder[O]) Begin16(m *Mark) *StreamEncoder[O] { return e.begin(m, e.tail().Begin16(m)) }

// Begin24 is Begin8 for a length of 3 bytes.
func (e *StreamEncoder[O]) Begin24(m *Mark) *StreamEncoder[O] { return e.begin(m, e.tail().Begin24(m)) }

// Begin32 is Begin8 for a length of 4 bytes.
func (e *StreamEncoder[O]) Begin32(m *Mark) *StreamEncoder[O] { return e.begin(m, e.tail().Begin32(m)) }

// BeginVarint is Begin8 for a length as an unsigned varint; see
// [Appender.BeginVarint].
func (e *StreamEncoder[O]) BeginVarint(m *Mark) *StreamEncoder[O] {
	return e.begin(m, e.tail().BeginVarint(m))
}

// End fills in the length of what was encoded since the Begin method that set m, and
// clears m. Inner spans must end before outer ones. End panics if m is
// not set.
func (e *StreamEncoder[O]) End(m *Mark) *StreamEncoder[O] {
	t := m.close(e.owner)
	if e.err == nil {
		b, err := endSpan(e.tail(), t)
		if e.buf = b; err != nil {
			err.Offset += e.sent
			e.fail(err)
		}
	}
	return e.end()
}

// begin opens the span that m was set for and replaces the buffer by b. Nothing is
// written until the span is closed.
func (e *StreamEncoder[O]) begin(m *Mark, b Appender[O]) *StreamEncoder[O] {
	m.owner = e.owner
	e.open++
	if e.err == nil {
		e.full = math.MaxInt
	}
	return e.put(b)
}

// end closes a span. If it was the outermost, a full buffer is written.
func (e *StreamEncoder[O]) end() *StreamEncoder[O] {
	if e.open--; e.open == 0 && e.err == nil {
		e.full = e.size
	}
	return e.put(e.buf)
}

// fits fails, so that the value is dropped, if a length of n exceeds most, the largest
// that its prefix can hold.
func (e *StreamEncoder[O]) fits(n int, most uint64) {
	if e.err == nil && uint64(n) > most {
		err := tooLong(int64(n), most, 0)
		err.Offset = e.Offset()
		e.fail(err)
	}
}
