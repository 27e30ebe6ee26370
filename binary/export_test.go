package binary

var ErrOverlong = errOverlong

func (e *StreamEncoder[O]) BufferCap() int { return cap(e.buf) }
func (s *StreamDecoder[O]) BufferCap() int { return cap(s.buf) }

// Held returns how many bytes before the offset must stay in the buffer.
func Held[O Order](s *StreamDecoder[O]) int {
	if len(s.holds) == 0 {
		return 0
	}
	return int(s.Offset() - s.holds[0])
}
