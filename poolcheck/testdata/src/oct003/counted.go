package oct003

import (
	"io"
	"sync"
	"sync/atomic"
)

var notes = sync.Pool{New: func() any { return new(note) }}

type note struct {
	data []byte
	refs atomic.Int32
}

func newNote() *note {
	n := notes.Get().(*note)
	n.refs.Store(1)
	n.data = n.data[:0]
	return n
}

func (n *note) release() {
	if n.refs.Add(-1) == 0 {
		notes.Put(n)
	}
}

// bad: the last reference was given up before.
func releaseLast(w io.Writer, p []byte) error {
	n := newNote()
	defer n.release() // want "OCT003: n is released twice"
	n.data = append(n.data, p...)
	if _, err := w.Write(n.data); err != nil {
		n.release()
		return err
	}
	return nil
}

// ok: there is a reference for each.
func releaseBoth(w io.Writer, p []byte) error {
	n := newNote()
	defer n.release()
	n.data = append(n.data, p...)
	n.refs.Add(1)
	_, err := w.Write(n.data)
	n.release()
	return err
}
