package binary

import "slices"

// Begin limits the following reads to the next n bytes, until End is called with the
// same mark; see [Decoder.Begin]. It fails if the enclosing span or the limit leaves
// fewer bytes. It does not wait for them.
func (s *StreamDecoder[O]) Begin(m *Mark, n int) {
	s.room(int64(n))
	s.letGo(m)
	*m = Mark{at: s.Offset(), outer: s.end, owner: s.owner, kind: bound}
	if s.d.ok() {
		s.end = s.Offset() + int64(n)
		s.due = max(s.due, s.end)
		s.setWindow(s.d.off)
	}
}

// Begin8 reads a length of 1 byte and limits the following reads to that many bytes. See
// [StreamDecoder.Begin], and [Mark.Plus] for lengths that count more or less.
func (s *StreamDecoder[O]) Begin8(m *Mark) { s.begin(m, uint64(s.Uint8())) }

// Begin16 is Begin8 for a length of 2 bytes.
func (s *StreamDecoder[O]) Begin16(m *Mark) { s.begin(m, uint64(s.Uint16())) }

// Begin24 is Begin8 for a length of 3 bytes.
func (s *StreamDecoder[O]) Begin24(m *Mark) { s.begin(m, uint64(s.Uint24())) }

// Begin32 is Begin8 for a length of 4 bytes.
func (s *StreamDecoder[O]) Begin32(m *Mark) { s.begin(m, uint64(s.Uint32())) }

// BeginVarint is Begin8 for an unsigned varint.
func (s *StreamDecoder[O]) BeginVarint(m *Mark) { s.begin(m, s.Uvarint()) }

// begin is Begin for a length n, which counts what [Mark.Plus] says.
func (s *StreamDecoder[O]) begin(m *Mark, n uint64) { s.Begin(m, s.length(n, m.extra())) }

// End ends the span that m was set for, and clears m. It fails with [ErrTrailing] if
// bytes of the span are left; call Skip(d.Len()) first to ignore them. Inner spans must end
// before outer ones. End panics if m is not set.
func (s *StreamDecoder[O]) End(m *Mark) {
	t := m.close(s.owner)
	if !s.d.ok() {
		return
	}
	if t.outer < s.end {
		panic("binary: End of a mark out of turn")
	}
	if left := s.end - s.Offset(); left > 0 {
		s.d.fail(&Error{Offset: int64(s.d.off), Have: left, Err: ErrTrailing})
		return
	}
	s.end = t.outer
	s.setWindow(s.d.off)
}

// Mark sets m to the current offset, for Since. Until that is called with m, or m is set
// again, all bytes read stay in the buffer. It grows with what arrives, not with what a
// length claims; [Limit] bounds it.
func (s *StreamDecoder[O]) Mark(m *Mark) {
	s.letGo(m)
	at := s.Offset()
	s.holds = append(s.holds, at)
	*m = Mark{at: at, owner: s.owner, kind: place}
}

// Since returns the bytes read since Mark set m, without copying them, and clears m.
// The slice is valid until the next read. After a failure Since returns
// nil. It panics if m is not set.
func (s *StreamDecoder[O]) Since(m *Mark) []byte {
	at := m.since(s.owner)
	if !s.drop(at) {
		panic("binary: Since of a copy of a mark that was used")
	}
	if !s.d.ok() {
		return nil
	}
	return s.buf[at-s.base : s.d.off : s.d.off]
}

// letGo lets go of the bytes that are held for m, if m is set and nobody has asked for
// them: it is about to be set again.
func (s *StreamDecoder[O]) letGo(m *Mark) {
	if m.owner == s.owner && m.holds() {
		s.drop(m.at)
	}
}

// drop removes an offset from holds, and reports whether it was there.
func (s *StreamDecoder[O]) drop(at int64) bool {
	i := slices.Index(s.holds, at)
	if i < 0 {
		return false
	}
	s.holds = slices.Delete(s.holds, i, i+1)
	return true
}
