package binary

var ErrOverlong = errOverlong

func (e *StreamEncoder[O]) BufferCap() int { return cap(e.buf) }
func (s *StreamDecoder[O]) BufferCap() int { return cap(s.buf) }
