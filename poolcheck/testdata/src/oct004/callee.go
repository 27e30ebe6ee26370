package oct004

import (
	"io"
	"sync"
)

// entry is one of a log.
type entry struct {
	term uint64
	data []byte
}

var entryPool = sync.Pool{New: func() any { return new(entry) }}

func newEntry(term uint64) *entry {
	e := entryPool.Get().(*entry)
	e.term = term
	return e
}

func (e *entry) free() {
	e.data = nil
	entryPool.Put(e)
}

func putBack(e **entry) {
	entryPool.Put(*e)
	*e = nil
}

// ok: the helper releases what the variable has.
func writeEntry(w io.Writer, term uint64) error {
	e := newEntry(term)
	defer putBack(&e)
	_, err := w.Write(e.data)
	return err
}

// A cursor may have an entry of its own.
type cursor struct {
	e   *entry
	own bool
}

func newCursor(e *entry) cursor { return cursor{e, true} }

func (c *cursor) close() {
	if c.own {
		c.e.free()
	}
}

// ok: a method releases what is in the variable.
func moveCursor(term uint64, move func(uint64)) {
	c := newCursor(newEntry(term))
	defer c.close()
	move(c.e.term)
}
