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

// bad: the literal is returned.
func textOfLater() func() string {
	b := later.Get().(*bytes.Buffer)
	defer later.Put(b)
	b.WriteString("later")
	return func() string { return b.String() } // want "OCT002: b outlives its release .*"
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

// ok: the text is a copy.
func copiedText() *lazy {
	b := later.Get().(*bytes.Buffer)
	defer later.Put(b)
	s := b.String()
	return &lazy{text: func() string { return s }}
}

// ok: the literal is what puts.
func withRelease() (p []byte, release func()) {
	b := later.Get().(*bytes.Buffer)
	return b.Bytes(), func() { later.Put(b) }
}

// ok: the literal reads, and puts.
func readOnce() *lazy {
	b := later.Get().(*bytes.Buffer)
	return &lazy{text: func() string {
		defer later.Put(b)
		return b.String()
	}}
}

// ok: the variable has another buffer when the literal runs.
func replacedText() func() string {
	b := later.Get().(*bytes.Buffer)
	text := func() string { return b.String() }
	later.Put(b)
	b = new(bytes.Buffer)
	return text
}

// ok: the literal runs here.
func calledHere() string {
	b := later.Get().(*bytes.Buffer)
	defer later.Put(b)
	text := func() string { return b.String() }
	return text()
}

// ok: the literal has the length.
func lengthOnly() func() int {
	b := later.Get().(*bytes.Buffer)
	defer later.Put(b)
	n := b.Len()
	return func() int { return n }
}

// ok: the literal takes one of its own.
func ownBuffer() *lazy {
	b := later.Get().(*bytes.Buffer)
	b.WriteString("now")
	later.Put(b)
	return &lazy{text: func() string {
		b := later.Get().(*bytes.Buffer)
		defer later.Put(b)
		return b.String()
	}}
}

// ok: it is put only where nothing is returned.
func eitherText(p []byte) func() string {
	b := later.Get().(*bytes.Buffer)
	if len(p) == 0 {
		later.Put(b)
		return nil
	}
	b.Write(p)
	return func() string { return b.String() }
}

// ok: the literal leads to itself, and takes a buffer of its own.
func recursive() func(n int) int {
	var count func(n int) int
	count = func(n int) int {
		b := later.Get().(*bytes.Buffer)
		defer later.Put(b)
		if n == 0 {
			return b.Len()
		}
		return count(n - 1)
	}
	return count
}
