package oct001

import (
	"io"
	"oct001/shelves"
	"sync"
)

// A sheet counts its users.
type sheet struct {
	users int
	data  []byte
}

var sheets = sync.Pool{New: func() any { return new(sheet) }}

func release(s *sheet) {
	if s.users--; s.users == 0 {
		sheets.Put(s)
	}
}

// ok: the caller is another user.
func shareSheet(s *sheet, w io.Writer) error {
	s.users++
	release(s)
	_, err := w.Write(s.data)
	return err
}

// bad: another package takes the slice back, unless it does not fit.
func shelved(w io.Writer, s *shelves.Shelves, b []byte) error {
	s.Put(b)
	_, err := w.Write(b) // want "OCT001: b is used after its release.*"
	return err
}

// ok: the other package is told that the slice is needed.
func cleared(w io.Writer, s *shelves.Shelves, b []byte) error {
	s.Clear(b, false)
	_, err := w.Write(b)
	return err
}
