package oct003

import (
	"bytes"
	"io"
)

// A section reads out of a buffer that it is lent, and puts it at the end.
type section struct {
	b    *bytes.Buffer
	from io.Reader
	done bool
}

func (s *section) recycle() {
	texts.Put(s.b)
	s.b = nil
}

func (s *section) Read(p []byte) (int, error) {
	if s.done {
		return 0, io.EOF
	}
	n, err := s.from.Read(p)
	if err != nil {
		s.done = true
		s.recycle()
	}
	return n, err
}

// bad: the reader may have put it when the deferred call does.
func readSection(from io.Reader, p []byte) (n int, err error) {
	b := texts.Get().(*bytes.Buffer)
	defer texts.Put(b) // want "OCT003: b is released twice.*"
	s := section{b: b, from: from}
	for n < len(p) && err == nil {
		var k int
		k, err = s.Read(p[n:])
		n += k
	}
	return n, err
}

// bad: the same by a helper, and a pointer.
func readPointed(from io.Reader, p []byte) (int, error) {
	b := texts.Get().(*bytes.Buffer)
	defer putText(b) // want "OCT003: b is released twice.*"
	s := &section{b: b, from: from}
	return s.Read(p)
}
