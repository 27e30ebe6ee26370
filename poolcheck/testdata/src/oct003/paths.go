package oct003

import (
	"bytes"
	"sync"
)

var pages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: what follows has more paths than are told apart.
func releasedBeforeChoices(f [5]bool, emit func(...string)) {
	p := pages.Get().(*bytes.Buffer)
	p.Reset()
	pages.Put(p)
	pages.Put(p) // want "OCT003: .*p.*"
	a, b, c, d, e := "a", "b", "c", "d", "e"
	if f[0] {
		a = "A"
	}
	if f[1] {
		b = "B"
	}
	if f[2] {
		c = "C"
	}
	if f[3] {
		d = "D"
	}
	if f[4] {
		e = "E"
	}
	emit(a, b, c, d, e)
}

type answer struct {
	kind, want string
	page       *bytes.Buffer
}

// ok: two kinds exclude each other.
func (a *answer) dropByKind() {
	if a.kind == "page" {
		pages.Put(a.page)
	}
	if a.want == "page" {
		pages.Put(a.page)
	}
}
