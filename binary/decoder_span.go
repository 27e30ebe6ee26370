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

// End ends the span that m was set for, and clears m. It fails with [ErrTrailing] if
// bytes of the span are left; call Skip(d.Len()) first to ignore them. Inner spans must end
// before outer ones. End panics if m is not set.
func (d *Decoder[O]) End(m *Mark) {
	t := m.close(aDecoder)
	if !d.ok() {
		return // n stays as it was when the read failed
	}
	outer := uint64(t.outer)
	if outer < d.n || outer > d.size&^canonical { // n must stay within the input
		panic("binary: End of a mark of another decoder, or out of turn")
	}
	if d.Len() > 0 {
		d.fail(d.trailing())
		return
	}
	d.n = outer
}

// Mark sets m to the current offset, for [Decoder.Since].
func (d *Decoder[O]) Mark(m *Mark) { *m = Mark{at: int64(d.Offset()), owner: aDecoder, kind: place} }

// Since returns the bytes read since Mark set m, without copying them, and clears m:
// those that a checksum covers, for example. After a failure it returns nil. It panics if
// m is not set.
func (d *Decoder[O]) Since(m *Mark) []byte {
	at := m.since(aDecoder)
	if !d.ok() {
		return nil
	}
	return d.in.bytes(d.off)[at:]
}
