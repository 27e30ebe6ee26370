package oct003

import (
	"bytes"
	"io"
)

type outgoing struct {
	body any
	buf  *bytes.Buffer
	n    int
}

type sender struct {
	w    io.Writer
	next func(*outgoing) error
}

// ok: what is called between the two may be what gets another buffer.
func (s *sender) sendTwice(o *outgoing) error {
	if o.buf == nil {
		return errShort
	}
	_, err := s.w.Write(o.buf.Bytes())
	bufPool.Put(o.buf)
	if err == nil {
		err = s.next(o)
	} else {
		o.buf = nil
	}
	bufPool.Put(o.buf)
	o.buf = nil
	return err
}
