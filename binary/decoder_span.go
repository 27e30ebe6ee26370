package binary

// Begin limits the following reads to the next n bytes, until [Decoder.End] is called
// with the same mark. Len counts the bytes left in the span, so this loop reads a
// list:
//
//	for d.Begin16(&list); d.Len() > 0; {
//		items = append(items, d.Uint32())
//	}
//	d.End(&list)
//
// Spans nest, each with its own mark, and cost no allocation.
func (d *Decoder[O]) Begin(m *Mark, n int) {
	ok := d.need(uint64(n))
	*m = Mark{at: int64(d.Offset()), outer: int64(d.n), owner: aDecoder, kind: bound}
	if ok {
		if d.size&^canonical == 0 {
			d.size |= d.n
		}
		d.n = d.off + uint64(n)
	}
}

// Begin8 reads a length of 1 byte and limits the following reads to that many bytes. See
// [Decoder.Begin], and [Mark.Plus] for lengths that count more or less.
func (d *Decoder[O]) Begin8(m *Mark) { d.begin(m, uint64(d.Uint8())) }

// Begin16 is Begin8 for a length of 2 bytes.
func (d *Decoder[O]) Begin16(m *Mark) { d.begin(m, uint64(d.Uint16())) }

// Begin24 is Begin8 for a length of 3 bytes.
func (d *Decoder[O]) Begin24(m *Mark) { d.begin(m, uint64(d.Uint24())) }

// Begin32 is Begin8 for a length of 4 bytes.
func (d *Decoder[O]) Begin32(m *Mark) { d.begin(m, uint64(d.Uint32())) }

// BeginVarint is Begin8 for an unsigned varint.
func (d *Decoder[O]) BeginVarint(m *Mark) { d.begin(m, d.Uvarint()) }

// begin is Begin for a length n, which counts what [Mark.Plus] says.
func (d *Decoder[O]) begin(m *Mark, n uint64) { d.Begin(m, d.length(n, m.extra())) }

// BeginCRC32C reads, as a Uint32, the CRC-32C (Castagnoli) of the bytes that follow,
// up to the [Decoder.End] with the same mark. It does not limit the reads.
func (d *Decoder[O]) BeginCRC32C(m *Mark) {
	sum := d.Uint32()
	*m = Mark{at: int64(d.Offset()), outer: int64(sum), owner: aDecoder, kind: prefixCRC}
}

// End ends the span that m was set for, and clears m. It fails with [ErrTrailing] if
// bytes of the span are left; call Skip(d.Len()) first to ignore them. For a mark set
// by BeginCRC32C, it fails with [ErrChecksum] if the bytes read since have another
// checksum. Inner spans must end before outer ones. End panics if m is not set.
func (d *Decoder[O]) End(m *Mark) {
	t := m.close(aDecoder)
	if !d.ok() {
		return // n stays as it was when the read failed
	}
	switch t.kind {
	case bound:
		outer := uint64(t.outer)
		if outer < d.n || outer > d.size&^canonical { // n must stay within the input
			panic("binary: End of a mark of another decoder, or out of turn")
		}
		if d.Len() > 0 {
			d.fail(d.trailing())
			return
		}
		d.n = outer
	case prefixCRC:
		if sum := crc32C(d.in.bytes(d.off)[t.at:]); int64(sum) != t.outer {
			d.fail(&Error{Offset: t.at, Err: ErrChecksum})
		}
	}
}

// Mark sets m to the current offset, for [Decoder.Since] or [Decoder.CRC32C].
func (d *Decoder[O]) Mark(m *Mark) { *m = Mark{at: int64(d.Offset()), owner: aDecoder, kind: place} }

// Since returns the bytes read since Mark set m, without copying them, and clears m.
// After a failure it returns nil. It panics if m is not set.
func (d *Decoder[O]) Since(m *Mark) []byte { return d.since(m.since("Since", aDecoder)) }

func (d *Decoder[O]) since(at int64) []byte {
	if !d.ok() {
		return nil
	}
	return d.in.bytes(d.off)[at:]
}

// CRC32C reads a Uint32 and fails with [ErrChecksum] if it is not the CRC-32C
// (Castagnoli) of the bytes read since Mark set m. It clears m, and panics if m is
// not set.
func (d *Decoder[O]) CRC32C(m *Mark) {
	sum := crc32C(d.since(m.since("CRC32C", aDecoder)))
	at := d.off
	if d.Uint32() != sum && d.ok() {
		d.fail(&Error{Offset: int64(at), Err: ErrChecksum})
	}
}
