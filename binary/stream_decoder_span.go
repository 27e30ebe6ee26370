package binary

import (
	"hash/crc32"
	"math"
)

// Begin bounds the reads that follow to the next n bytes, until End with the same
// mark; see [Decoder.Begin]. It fails if the span around it, or the limit, leaves
// less, and reads nothing.
func (s *StreamDecoder[O]) Begin(m *Mark, n int) {
	s.room(uint64(n))
	*m = Mark{at: s.Offset(), outer: s.end, owner: s.owner, kind: bound}
	if s.d.ok() {
		s.end = s.Offset() + int64(n)
		s.due = max(s.due, s.end)
		s.setWindow(s.d.off)
	}
}

// Begin8 reads a length of 1 byte and bounds the reads that follow to as many
// bytes. See [StreamDecoder.Begin].
func (s *StreamDecoder[O]) Begin8(m *Mark) { s.Begin(m, s.Len8()) }

// Begin16 is Begin8 for a length of 2 bytes.
func (s *StreamDecoder[O]) Begin16(m *Mark) { s.Begin(m, s.Len16()) }

// Begin24 is Begin8 for a length of 3 bytes.
func (s *StreamDecoder[O]) Begin24(m *Mark) { s.Begin(m, s.Len24()) }

// Begin32 is Begin8 for a length of 4 bytes.
func (s *StreamDecoder[O]) Begin32(m *Mark) { s.Begin(m, s.Len32()) }

// BeginVarint is Begin8 for an unsigned varint.
func (s *StreamDecoder[O]) BeginVarint(m *Mark) { s.Begin(m, s.LenVarint()) }

// BeginCRC32C reads, as a Uint32, the CRC-32C (Castagnoli) of what follows, up to End
// with the same mark. It does not bound the reads. What is summed stays in the
// buffer, as with [StreamDecoder.Mark].
func (s *StreamDecoder[O]) BeginCRC32C(m *Mark) {
	sum := s.Uint32()
	*m = Mark{at: s.hold(m), outer: int64(sum), owner: s.owner, kind: prefixCRC}
}

// End ends the span that a Begin opened and clears m. It fails with [ErrTrailing] if
// the span was not read to its end (Skip(d.Len()) before End ignores the rest), and
// with [ErrChecksum] if what was read since BeginCRC32C has another sum. It panics
// if m is not set.
func (s *StreamDecoder[O]) End(m *Mark) {
	t := m.close(s.owner)
	if t.kind == prefixCRC {
		s.release()
		if s.d.ok() && crc32.Checksum(s.since(t.at), castagnoli) != uint32(t.outer) {
			s.d.fail(&Error{Offset: t.at - s.base, Err: ErrChecksum})
		}
		return
	}
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

// Mark sets m to this place, for Since and CRC32C. Until one of them is called with
// m, what is read stays in the buffer, which grows: not by a length alone, but by
// what arrives. [Limit] bounds it.
func (s *StreamDecoder[O]) Mark(m *Mark) {
	*m = Mark{at: s.hold(m), owner: s.owner, kind: place}
}

// Since returns what was read since m was set by Mark, without a copy, and clears m.
// The slice is valid until the next call. After a failure it is nil. Since panics if
// m is not set.
func (s *StreamDecoder[O]) Since(m *Mark) []byte {
	at := m.since("Since", s.owner)
	s.release()
	return s.since(at)
}

// CRC32C reads a Uint32, fails with [ErrChecksum] if it is not the CRC-32C
// (Castagnoli) of what was read since m was set by Mark, and clears m. It panics
// if m is not set.
func (s *StreamDecoder[O]) CRC32C(m *Mark) {
	at := m.since("CRC32C", s.owner)
	d := s.with(4)
	want := crc32.Checksum(s.since(at), castagnoli)
	s.release()
	where := d.off
	if d.Uint32() != want && d.ok() {
		d.fail(&Error{Offset: int64(where), Err: ErrChecksum})
	}
}

// Rest returns all that is left of the span, or if there is none, of the stream, and
// moves to the end. The slice is part of the buffer, which grows as it arrives, and
// valid until the next call. [Limit] bounds it.
func (s *StreamDecoder[O]) Rest() []byte {
	if s.end < math.MaxInt64 {
		return s.Bytes(s.Len())
	}
	var m Mark
	for s.Mark(&m); s.More(); {
		s.d.Rest()
	}
	return s.Since(&m)
}

// hold keeps what is read from here on in buf, for m, until release. It returns the
// place. A mark that is set anew is one mark.
func (s *StreamDecoder[O]) hold(m *Mark) int64 {
	if m.owner == s.owner && (m.kind == place || m.kind == prefixCRC) {
		s.release()
	}
	at := s.Offset()
	if s.held == 0 {
		s.from = at
	}
	s.held++
	return at
}

// release ends what hold began.
func (s *StreamDecoder[O]) release() { s.held-- }

// since returns what was read since the offset at, from where it is held.
func (s *StreamDecoder[O]) since(at int64) []byte {
	if !s.d.ok() {
		return nil
	}
	return s.buf[at-s.base : s.d.off : s.d.off]
}
