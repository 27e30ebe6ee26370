package oct004

import "sync"

type telegram struct{ text []byte }

var telegrams = sync.Pool{New: func() any { return new(telegram) }}

func (l *telegram) Free() {
	l.text = l.text[:0]
	telegrams.Put(l)
}

// bad: an attempt that fails is lost, and try has only looked at it.
func attempt(try func(l *telegram) bool) bool {
	for range 3 {
		l := telegrams.Get().(*telegram) // want "OCT004: l is not released on every path"
		if try(l) {
			l.Free()
			return true
		}
	}
	return false
}
