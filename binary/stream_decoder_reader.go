package binary

import "io"

// Methods for those who read on from a StreamDecoder, such as decompressors. With
// ReadByte and Peek they need no buffer of their own, so they take only what is theirs.

// Read makes the decoder an [io.Reader] of the span, or of the stream if no span is
// open. At the end it returns [io.EOF], which is not a failure of the decoder. If p is
// not smaller than the buffer, and the buffer is empty, the Reader reads into p.
func (s *StreamDecoder[O]) Read(p []byte) (int, error) {
	if len(p) >= len(s.buf) && s.d.ok() && s.d.Len() == 0 && len(s.holds) == 0 {
		if n := s.direct(p); n > 0 {
			return n, nil
		}
	}
	if len(p) == 0 {
		return 0, s.Err()
	}
	if !s.More() {
		return 0, s.ended()
	}
	n := min(len(p), s.d.Len())
	s.d.Copy(p[:n])
	return n, nil
}

// ReadByte is Read for one byte, so that the decoder is an [io.ByteReader].
func (s *StreamDecoder[O]) ReadByte() (byte, error) {
	if !s.More() {
		return 0, s.ended()
	}
	return s.d.Uint8(), nil
}

// ended returns the error for a read after which More has returned false.
func (s *StreamDecoder[O]) ended() error {
	if err := s.Err(); err != nil {
		return err
	}
	return io.EOF
}

// Peek returns the next n bytes without consuming them. It waits until they have arrived
// or the stream ends. The slice is valid until the next read. If there are
// fewer bytes, Peek returns nil and the reason: [io.EOF] at the end of the span or the
// stream, [ErrTooLong], [ErrOverflow] if n is negative, or the error of the Reader. None of
// them makes the decoder fail. The Reader is called again for the next read, unless it
// has returned io.EOF, so after a deadline Peek goes on where it was.
func (s *StreamDecoder[O]) Peek(n int) ([]byte, error) {
	switch at := s.Offset(); {
	case !s.d.ok():
		return nil, s.Err()
	case n < 0:
		return nil, ErrOverflow
	case int64(n) > s.end-at:
		return nil, io.EOF
	case int64(n) > s.limit-at:
		return nil, ErrTooLong
	}
	if p := s.with(n).Peek(n); p != nil {
		return p, nil
	}
	err := s.rerr
	if err != io.EOF {
		s.rerr = nil
	}
	return nil, err
}
