package binary

import (
	"io"
	"slices"
)

// Bytes returns the next n bytes, without a copy: they are valid until the next
// call. All of them are in the buffer then, which grows as they arrive.
func (s *StreamDecoder[O]) Bytes(n int) []byte { return s.with(n).Bytes(n) }

// String returns the next n bytes as a string, which is a copy.
func (s *StreamDecoder[O]) String(n int) string { return s.with(n).String(n) }

// AppendBytes appends the next n bytes to dst, which grows as they arrive. If there
// are fewer, it returns dst as it is.
func (s *StreamDecoder[O]) AppendBytes(dst []byte, n int) []byte {
	if n <= len(s.buf) || s.held > 0 {
		return s.with(n).AppendBytes(dst, n)
	}
	at, start := s.Offset(), len(dst)
	if !s.within(n) {
		return dst
	}
	for left := n; left > 0 && s.d.ok(); {
		// As much again as has arrived: a length alone allocates nothing.
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

// Copy fills dst. If there are fewer bytes, it fails, and dst holds some of them.
// What the buffer could not hold anyway is read into dst at once.
func (s *StreamDecoder[O]) Copy(dst []byte) {
	if len(dst) <= len(s.buf) || s.held > 0 {
		s.with(len(dst)).Copy(dst)
		return
	}
	at := s.Offset()
	if !s.within(len(dst)) {
		return
	}
	n := copy(dst, s.d.Rest())
	for len(dst)-n > len(s.buf) && s.rerr == nil {
		// The window is used up, and it was all that buf had, because the span is
		// longer: buf begins anew behind what goes past it.
		k := s.readInto(dst[n:])
		s.base += int64(s.filled + k)
		s.filled = 0
		s.setWindow(0)
		n += k
	}
	s.with(len(dst) - n).Copy(dst[n:])
	s.whole(at, len(dst))
}

// Read reads what is there up to len(p) bytes, within the span, for those who want
// an [io.Reader]. It returns [io.EOF] at the end of the span or of the stream, and
// any other failure as Err does.
func (s *StreamDecoder[O]) Read(p []byte) (int, error) {
	if len(p) == 0 || !s.More() {
		if err := s.Err(); err != nil || len(p) == 0 {
			return 0, err
		}
		return 0, io.EOF
	}
	n := min(len(p), s.d.Len())
	s.d.Copy(p[:n])
	return n, nil
}

// Skip moves on by n bytes. They need not fit into the buffer.
func (s *StreamDecoder[O]) Skip(n int) {
	if n <= len(s.buf) || s.held > 0 {
		s.with(n).Skip(n)
		return
	}
	at := s.Offset()
	if !s.within(n) {
		return
	}
	left := n - len(s.d.Rest())
	for left > len(s.buf) && s.rerr == nil {
		left -= len(s.with(1).Rest())
	}
	s.with(left).Skip(left)
	s.whole(at, n)
}

// Align moves on until the offset, counted from start, is a multiple of n. It
// panics if n is not positive.
func (s *StreamDecoder[O]) Align(n int, start int64) { s.Skip(padding(s.Offset()-start, n)) }

// Peek returns the next n bytes and does not move on. It returns nil if there are
// fewer, which is no failure, or if the decoder has failed.
func (s *StreamDecoder[O]) Peek(n int) []byte {
	if int64(n) > min(s.end, s.limit)-s.Offset() {
		return nil
	}
	return s.with(n).Peek(n)
}

// Len8 reads a length of 1 byte and fails if the span or the limit leaves less than
// that. It does not wait for the content, which may still turn out to be shorter:
// then what reads it fails with [io.ErrUnexpectedEOF]. The content is read with
// Bytes, String, AppendBytes or Skip.
func (s *StreamDecoder[O]) Len8() int { return s.length(uint64(s.Uint8())) }

// Len16 is Len8 for a length of 2 bytes.
func (s *StreamDecoder[O]) Len16() int { return s.length(uint64(s.Uint16())) }

// Len24 is Len8 for a length of 3 bytes.
func (s *StreamDecoder[O]) Len24() int { return s.length(uint64(s.Uint24())) }

// Len32 is Len8 for a length of 4 bytes.
func (s *StreamDecoder[O]) Len32() int { return s.length(uint64(s.Uint32())) }

// LenVarint is Len8 for an unsigned varint.
func (s *StreamDecoder[O]) LenVarint() int { return s.length(s.Uvarint()) }

// Bytes8 reads a length of 1 byte and returns as many bytes, without a copy: they are valid
// until the next call.
func (s *StreamDecoder[O]) Bytes8() []byte { return s.Bytes(s.Len8()) }

// Bytes16 is Bytes8 for a length of 2 bytes.
func (s *StreamDecoder[O]) Bytes16() []byte { return s.Bytes(s.Len16()) }

// Bytes24 is Bytes8 for a length of 3 bytes.
func (s *StreamDecoder[O]) Bytes24() []byte { return s.Bytes(s.Len24()) }

// Bytes32 is Bytes8 for a length of 4 bytes.
func (s *StreamDecoder[O]) Bytes32() []byte { return s.Bytes(s.Len32()) }

// BytesVarint is Bytes8 for an unsigned varint.
func (s *StreamDecoder[O]) BytesVarint() []byte { return s.Bytes(s.LenVarint()) }

// String8 reads a length of 1 byte and returns as many bytes as a string, which is
// a copy.
func (s *StreamDecoder[O]) String8() string { return s.String(s.Len8()) }

// String16 is String8 for a length of 2 bytes.
func (s *StreamDecoder[O]) String16() string { return s.String(s.Len16()) }

// String24 is String8 for a length of 3 bytes.
func (s *StreamDecoder[O]) String24() string { return s.String(s.Len24()) }

// String32 is String8 for a length of 4 bytes.
func (s *StreamDecoder[O]) String32() string { return s.String(s.Len32()) }

// StringVarint is String8 for an unsigned varint.
func (s *StreamDecoder[O]) StringVarint() string { return s.String(s.LenVarint()) }
