package oct002

import (
	"bytes"
	"sync"
)

// Function literals that show pooled memory to whoever calls them later.

var later = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type lazy struct {
	text  func() string
	bytes func() []byte
}

// bad: a struct is returned that has it in a field.
func lazyText() *lazy {
	b := later.Get().(*bytes.Buffer)
	defer later.Put(b)
	return &lazy{text: func() string { return b.String() }} // want "OCT002: b outlives its release .*"
}

// bad: a struct by value, and the literal has the bytes.
func lazyBytes() (l lazy) {
	b := later.Get().(*bytes.Buffer)
	defer later.Put(b)
	p := b.Bytes()
	l.bytes = func() []byte { return p }
	return l // want "OCT002: b outlives its release .*"
}

// bad: a struct of the caller.
func (l *lazy) fill() {
	b := later.Get().(*bytes.Buffer)
	l.text = func() string { return b.String() } // want "OCT002: b outlives its release .*"
	later.Put(b)
}

// ok: the literal runs here.
func calledHere() string {
	b := later.Get().(*bytes.Buffer)
	defer later.Put(b)
	text := func() string { return b.String() }
	return text()
}
