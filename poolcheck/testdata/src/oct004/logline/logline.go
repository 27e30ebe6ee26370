// Package logline has log entries, which are written by chains of calls.
package logline

import (
	"io"
	"sync"
)

var entries = sync.Pool{New: func() any { return new(Entry) }}

// An Entry goes back to its pool when it is sent.
type Entry struct {
	buf []byte
	w   io.Writer
}

func New(w io.Writer) *Entry {
	e := entries.Get().(*Entry)
	e.buf, e.w = e.buf[:0], w
	return e
}

// Text adds a text and returns e.
func (e *Entry) Text(key, value string) *Entry {
	if e == nil {
		return e
	}
	e.buf = append(append(e.buf, key...), value...)
	return e
}

// An Appender adds itself to an entry, which it returns.
type Appender interface{ AppendTo(e *Entry) *Entry }

// Any adds v, if it can be added, and returns e.
func (e *Entry) Any(v any) *Entry {
	switch v := v.(type) {
	case string:
		return e.Text("", v)
	case Appender:
		return v.AppendTo(e)
	}
	return e
}

func (e *Entry) Send() {
	if e == nil {
		return
	}
	e.w.Write(e.buf)
	entries.Put(e)
}
