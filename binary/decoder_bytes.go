package binary

import "bytes"

// Bytes returns the next n bytes, without copying them. [Decoder.AppendBytes] and
// [Decoder.Copy] copy.
//
// A count from the input is safe: if n is negative, or more than what is left, Bytes
// fails, and allocates nothing. Read one of 64 bits with Len64. An int(d.Uint64()) is as
// safe where an int has 64 bits, because a huge number is negative or too large; where it
// has 32, the conversion drops the high half, and what is left may be a small count.
func (d *Decoder[O]) Bytes(n int) (p []byte) {
	i := d.off
	e := i + uint64(n)
	if e <= d.n && i <= e {
		p = d.in.bytes(d.n)[i:e:e]
	} else if e = i; i < failed {
		e |= failed
		d.size = uint64(n)
	}
	d.off = e
	return p
}

// String returns a copy of the next n bytes as a string.
func (d *Decoder[O]) String(n int) string { return string(d.Bytes(n)) }

// AppendBytes appends the next n bytes to dst and returns the result. If there are
// fewer, it fails and returns dst.
func (d *Decoder[O]) AppendBytes(dst []byte, n int) []byte { return append(dst, d.Bytes(n)...) }

// Copy fills dst with the next bytes. If there are too few, it fails and leaves dst
// unchanged.
func (d *Decoder[O]) Copy(dst []byte) { copy(dst, d.Bytes(len(dst))) }

// Skip skips n bytes.
func (d *Decoder[O]) Skip(n int) { d.Bytes(n) }

// Align skips bytes, whatever their values, until the offset, counted from start, is
// a multiple of n. It panics if n is not positive.
func (d *Decoder[O]) Align(n, start int) { d.Skip(padding(int64(d.Offset()-start), n)) }

// Peek returns the next n bytes without consuming them. If there are fewer, or if the
// Decoder has failed, it returns nil. It never makes the Decoder fail.
func (d *Decoder[O]) Peek(n int) []byte {
	if !d.ok() || uint(n) > uint(d.Len()) {
		return nil
	}
	return d.in.bytes(d.n)[d.off:][:n:n]
}

// Until returns the bytes before the next delim, without copying them, and skips delim
// too. Until(0, most) reads a C string, and Until('\n', most) a line. It fails with
// [ErrTooLong] if there are more than most bytes before delim, with
// [io.ErrUnexpectedEOF] if the span or the input ends before delim, and with [io.EOF], as
// every read does, if nothing is left of it.
func (d *Decoder[O]) Until(delim byte, most int) []byte {
	rest := d.Peek(d.Len())
	i := bytes.IndexByte(rest[:min(len(rest)-1, max(most, -1))+1], delim)
	switch {
	case i < 0 && most >= 0 && len(rest) > most:
		d.fail(&Error{Offset: int64(d.off), Have: int64(most), Err: ErrTooLong})
	case i < 0 && most >= 0:
		d.need(uint64(len(rest)) + 1)
	case i < 0:
		d.need(uint64(most))
	}
	p := d.Bytes(max(i, 0))
	d.Skip(1)
	return p
}

// Len8 reads a length of 1 byte and fails if fewer bytes are left than it says, so the
// result is safe to allocate. Read the content with Bytes, String, AppendBytes or
// Skip:
//
//	name = d.AppendBytes(name[:0], d.Len8())
func (d *Decoder[O]) Len8() int { return d.length(uint64(d.Uint8()), 0) }

// Len16 is Len8 for a length of 2 bytes.
func (d *Decoder[O]) Len16() int { return d.length(uint64(d.Uint16()), 0) }

// Len32 is Len8 for a length of 4 bytes.
func (d *Decoder[O]) Len32() int { return d.length(uint64(d.Uint32()), 0) }

// Len64 is Len8 for a length of 8 bytes. It fails too if an int has no room for the
// length, where int(d.Uint64()) would drop the high half:
//
//	name := d.String(d.Len64())
func (d *Decoder[O]) Len64() int { return d.length(d.Uint64(), 0) }

// LenVarint is Len8 for an unsigned varint.
func (d *Decoder[O]) LenVarint() int { return d.length(d.Uvarint(), 0) }

// length returns n-extra, the size of content whose length is n, if that many bytes are
// left. Otherwise it fails.
func (d *Decoder[O]) length(n uint64, extra int64) int {
	size, ok := without(n, extra)
	switch {
	case !d.ok():
		return 0
	case !ok:
		d.fail(&Error{Offset: int64(d.off), Err: ErrOverflow})
		return 0
	case uint64(size) > uint64(d.Len()):
		// Part of the value was there, its length, so the reason is not io.EOF.
		d.lack(uint64(size))
		d.failure().unexpected()
		return 0
	}
	return int(size)
}

// Bytes8 reads a length of 1 byte and returns that many bytes, without copying them.
func (d *Decoder[O]) Bytes8() []byte { return d.Bytes(d.Len8()) }

// Bytes16 is Bytes8 for a length of 2 bytes.
func (d *Decoder[O]) Bytes16() []byte { return d.Bytes(d.Len16()) }

// Bytes24 is Bytes8 for a length of 3 bytes.
func (d *Decoder[O]) Bytes24() []byte { return d.Bytes(d.length(uint64(d.Uint24()), 0)) }

// Bytes32 is Bytes8 for a length of 4 bytes.
func (d *Decoder[O]) Bytes32() []byte { return d.Bytes(d.Len32()) }

// BytesVarint is Bytes8 for an unsigned varint.
func (d *Decoder[O]) BytesVarint() []byte { return d.Bytes(d.LenVarint()) }

// String8 reads a length of 1 byte and returns a copy of that many bytes as a string.
func (d *Decoder[O]) String8() string { return d.String(d.Len8()) }

// String16 is String8 for a length of 2 bytes.
func (d *Decoder[O]) String16() string { return d.String(d.Len16()) }

// String32 is String8 for a length of 4 bytes.
func (d *Decoder[O]) String32() string { return d.String(d.Len32()) }

// StringVarint is String8 for an unsigned varint.
func (d *Decoder[O]) StringVarint() string { return d.String(d.LenVarint()) }
