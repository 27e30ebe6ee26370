package binary

import (
	"bytes"
	"slices"
)

// Bytes returns the next n bytes, without copying them. The slice is valid until the
// next read. The buffer grows as they arrive, to hold all of them, so a huge n from the
// input allocates in proportion to what arrives; a negative one fails. Read a count of 64
// bits with Len64; [Decoder.Bytes] says why.
func (s *StreamDecoder[O]) Bytes(n int) []byte { return s.with(n).Bytes(n) }

// String returns a copy of the next n bytes as a string.
func (s *StreamDecoder[O]) String(n int) string { return s.with(n).String(n) }

// AppendBytes appends the next n bytes to dst, which grows as they arrive, and returns
// the result. If there are fewer, it fails and returns dst.
func (s *StreamDecoder[O]) AppendBytes(dst []byte, n int) []byte {
	if n <= len(s.buf) || len(s.holds) > 0 {
		return s.with(n).AppendBytes(dst, n)
	}
	at, start := s.Offset(), len(dst)
	if !s.within(n) {
		return dst
	}
	for left := n; left > 0 && s.d.ok(); {
		// Allocate in proportion to what has arrived, not to a length.
		chunk := min(left, max(len(dst)-start, s.size))
		dst = slices.Grow(dst, chunk)[:len(dst)+chunk]
		s.Copy(dst[len(dst)-chunk:])
		left -= chunk
	}
	if s.whole(at, n); !s.d.ok() {
		return dst[:start]
	}
	return dst
}

// Copy fills dst with the next bytes. If there are too few, it fails, and dst may have
// been modified. Bytes for which the buffer has no room are read directly into dst.
func (s *StreamDecoder[O]) Copy(dst []byte) {
	if len(dst) <= len(s.buf) || len(s.holds) > 0 {
		s.with(len(dst)).Copy(dst)
		return
	}
	at := s.Offset()
	if !s.within(len(dst)) {
		return
	}
	n := copy(dst, s.d.Bytes(s.d.Len()))
	for len(dst)-n > len(s.buf) && s.rerr == nil {
		// The window is used up, and so is buf, because the span is longer.
		n += s.direct(dst[n:])
	}
	s.with(len(dst) - n).Copy(dst[n:])
	s.whole(at, len(dst))
}

// Skip skips n bytes. They need not fit into the buffer.
func (s *StreamDecoder[O]) Skip(n int) {
	if n <= len(s.buf) || len(s.holds) > 0 {
		s.with(n).Skip(n)
		return
	}
	at := s.Offset()
	if !s.within(n) {
		return
	}
	left := n - len(s.d.Bytes(s.d.Len()))
	for left > len(s.buf) && s.rerr == nil {
		s.with(1)
		left -= len(s.d.Bytes(s.d.Len()))
	}
	s.with(left).Skip(left)
	s.whole(at, n)
}

// Align skips bytes, whatever their values, until the offset, counted from start, is a
// multiple of n. It panics if n is not positive.
func (s *StreamDecoder[O]) Align(n int, start int64) { s.Skip(padding(s.Offset()-start, n)) }

// Until returns the bytes before the next delim, without copying them, and skips delim
// too; see [Decoder.Until]. It waits for delim, or for as many bytes as most allows. The
// slice is valid until the next read.
func (s *StreamDecoder[O]) Until(delim byte, most int) []byte {
	for searched := 0; ; {
		window := s.d.Peek(s.d.Len())
		if len(window) > most || bytes.IndexByte(window[searched:], delim) >= 0 {
			break
		}
		searched = len(window)
		if s.load(searched + 1); s.d.Len() <= searched {
			break
		}
	}
	return s.d.Until(delim, most)
}

// Len8 reads a length of 1 byte and fails if the span or the limit has no room for
// that many bytes. It does not wait for them, so check a length that is used to
// allocate memory, or let AppendBytes allocate. Read the content with Bytes, String,
// AppendBytes or Skip. If the stream ends too early, that read fails with
// [io.ErrUnexpectedEOF].
func (s *StreamDecoder[O]) Len8() int { return s.length(uint64(s.Uint8()), 0) }

// Len16 is Len8 for a length of 2 bytes.
func (s *StreamDecoder[O]) Len16() int { return s.length(uint64(s.Uint16()), 0) }

// Len32 is Len8 for a length of 4 bytes.
func (s *StreamDecoder[O]) Len32() int { return s.length(uint64(s.Uint32()), 0) }

// Len64 is Len8 for a length of 8 bytes; see [Decoder.Len64].
func (s *StreamDecoder[O]) Len64() int { return s.length(s.Uint64(), 0) }

// LenVarint is Len8 for an unsigned varint.
func (s *StreamDecoder[O]) LenVarint() int { return s.length(s.Uvarint(), 0) }

// Bytes8 reads a length of 1 byte and returns that many bytes, without copying them.
// The slice is valid until the next read.
func (s *StreamDecoder[O]) Bytes8() []byte { return s.Bytes(s.Len8()) }

// Bytes16 is Bytes8 for a length of 2 bytes.
func (s *StreamDecoder[O]) Bytes16() []byte { return s.Bytes(s.Len16()) }

// Bytes24 is Bytes8 for a length of 3 bytes.
func (s *StreamDecoder[O]) Bytes24() []byte { return s.Bytes(s.length(uint64(s.Uint24()), 0)) }

// Bytes32 is Bytes8 for a length of 4 bytes.
func (s *StreamDecoder[O]) Bytes32() []byte { return s.Bytes(s.Len32()) }

// BytesVarint is Bytes8 for an unsigned varint.
func (s *StreamDecoder[O]) BytesVarint() []byte { return s.Bytes(s.LenVarint()) }

// String8 reads a length of 1 byte and returns a copy of that many bytes as a string.
func (s *StreamDecoder[O]) String8() string { return s.String(s.Len8()) }

// String16 is String8 for a length of 2 bytes.
func (s *StreamDecoder[O]) String16() string { return s.String(s.Len16()) }

// String32 is String8 for a length of 4 bytes.
func (s *StreamDecoder[O]) String32() string { return s.String(s.Len32()) }

// StringVarint is String8 for an unsigned varint.
func (s *StreamDecoder[O]) StringVarint() string { return s.String(s.LenVarint()) }
