package binary

// Bytes returns the next n bytes, without a copy. [Decoder.AppendBytes] and
// [Decoder.Copy] copy.
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

// String returns the next n bytes as a string, which is a copy.
func (d *Decoder[O]) String(n int) string { return string(d.Bytes(n)) }

// AppendBytes appends the next n bytes to dst. If there are fewer, it returns dst
// as it is.
func (d *Decoder[O]) AppendBytes(dst []byte, n int) []byte { return append(dst, d.Bytes(n)...) }

// Copy fills dst. If there are fewer bytes, it leaves dst as it is and fails.
func (d *Decoder[O]) Copy(dst []byte) { copy(dst, d.Bytes(len(dst))) }

// Skip moves on by n bytes.
func (d *Decoder[O]) Skip(n int) { d.Bytes(n) }

// Align moves on until the offset, counted from start, is a multiple of n. It does
// not look at what it skips. It panics if n is not positive.
func (d *Decoder[O]) Align(n, start int) { d.Skip(padding(int64(d.Offset()-start), n)) }

// Peek returns the next n bytes and does not move on. It returns nil if there are
// fewer, which is no failure, or if the Decoder has failed.
func (d *Decoder[O]) Peek(n int) []byte {
	if !d.ok() || uint(n) > uint(d.Len()) {
		return nil
	}
	return d.in.bytes(d.n)[d.off:][:n:n]
}

// Rest returns all that is left, without a copy, and moves to the end.
func (d *Decoder[O]) Rest() []byte { return d.Bytes(d.Len()) }

// Sub returns a Decoder for the next n bytes, and moves on behind them. The two
// fail separately, so each must be asked for its error; Begin and End bound the
// reads of one Decoder instead. If there are fewer bytes, both have failed.
func (d *Decoder[O]) Sub(n int) Decoder[O] {
	sub := *d
	d.Bytes(n)
	if !d.ok() {
		return *d
	}
	sub.n, sub.size = d.off, 0
	return sub
}

// Len8 reads a length of 1 byte and fails if fewer bytes than that are left, so
// that what it returns can be allocated. The content follows, for Bytes, String,
// AppendBytes, Sub or Skip:
//
//	name = d.AppendBytes(name[:0], d.Len8())
func (d *Decoder[O]) Len8() int { return d.length(uint64(d.Uint8())) }

// Len16 is Len8 for a length of 2 bytes.
func (d *Decoder[O]) Len16() int { return d.length(uint64(d.Uint16())) }

// Len24 is Len8 for a length of 3 bytes.
func (d *Decoder[O]) Len24() int { return d.length(uint64(d.Uint24())) }

// Len32 is Len8 for a length of 4 bytes.
func (d *Decoder[O]) Len32() int { return d.length(uint64(d.Uint32())) }

// LenVarint is Len8 for an unsigned varint.
func (d *Decoder[O]) LenVarint() int { return d.length(d.Uvarint()) }

// length returns n if so many bytes are left, else it fails.
func (d *Decoder[O]) length(n uint64) int {
	if n <= uint64(d.Len()) {
		return int(n)
	}
	if d.ok() {
		// Some of the value, its length, was there: never io.EOF.
		d.lack(n)
		d.failure().unexpected()
	}
	return 0
}

// Bytes8 reads a length of 1 byte and returns as many bytes, without a copy.
func (d *Decoder[O]) Bytes8() []byte { return d.Bytes(d.Len8()) }

// Bytes16 is Bytes8 for a length of 2 bytes.
func (d *Decoder[O]) Bytes16() []byte { return d.Bytes(d.Len16()) }

// Bytes24 is Bytes8 for a length of 3 bytes.
func (d *Decoder[O]) Bytes24() []byte { return d.Bytes(d.Len24()) }

// Bytes32 is Bytes8 for a length of 4 bytes.
func (d *Decoder[O]) Bytes32() []byte { return d.Bytes(d.Len32()) }

// BytesVarint is Bytes8 for an unsigned varint.
func (d *Decoder[O]) BytesVarint() []byte { return d.Bytes(d.LenVarint()) }

// String8 reads a length of 1 byte and returns as many bytes as a string, which is
// a copy.
func (d *Decoder[O]) String8() string { return d.String(d.Len8()) }

// String16 is String8 for a length of 2 bytes.
func (d *Decoder[O]) String16() string { return d.String(d.Len16()) }

// String24 is String8 for a length of 3 bytes.
func (d *Decoder[O]) String24() string { return d.String(d.Len24()) }

// String32 is String8 for a length of 4 bytes.
func (d *Decoder[O]) String32() string { return d.String(d.Len32()) }

// StringVarint is String8 for an unsigned varint.
func (d *Decoder[O]) StringVarint() string { return d.String(d.LenVarint()) }
