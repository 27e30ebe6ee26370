package oct001

import (
	"io"
	"oct001/shelves"
	"sync"
)

// A rack has pools for some sizes. It takes back what fits.
type rack struct{ sizes map[int]*sync.Pool }

func (r *rack) Get(n int) []byte {
	if p := r.sizes[n]; p != nil {
		if b, ok := p.Get().([]byte); ok {
			return b
		}
	}
	return make([]byte, n)
}

func (r *rack) Put(b []byte) {
	if p := r.sizes[cap(b)]; p != nil {
		p.Put(b)
	}
}

var racks rack

// bad: the frame is written after it went back, unless it did not fit.
func echo(rw io.ReadWriter, n int) error {
	b := racks.Get(n)
	_, err := io.ReadFull(rw, b)
	racks.Put(b)
	if err != nil {
		return err
	}
	_, err = rw.Write(b) // want "OCT001: b is used after its release.*"
	return err
}

// bad: the same with a slice that somebody else has taken out.
func echoOut(w io.Writer, b []byte) error {
	racks.Put(b)
	_, err := w.Write(b) // want "OCT001: b is used after its release.*"
	return err
}

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
