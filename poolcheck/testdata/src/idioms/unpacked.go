package idioms

import (
	"reflect"
	"sync"
	"unsafe"
)

// words are what an interface consists of.
type words struct{ typ, data unsafe.Pointer }

// ok: the pointer inside of what Get returns is what goes back.
func pointerOf(v any) unsafe.Pointer { return (*words)(unsafe.Pointer(&v)).data }


// words3 are three strings, which fill takes for a slice.
type words3 struct{ first, second, third string }

var lines = sync.Pool{New: func() any { return new(line) }}

type line struct{ text []byte }

func (w *words3) fill(text []byte) {
	const size = int(unsafe.Sizeof(words3{}) / unsafe.Sizeof(""))
	list := *(*[]string)(unsafe.Pointer(&reflect.SliceHeader{
		Data: uintptr(unsafe.Pointer(w)), Len: size, Cap: size,
	}))
	for i := 0; i < len(text) && i < size; i++ {
		word := text[i : i+1]
		list[i] = unsafe.String(unsafe.SliceData(word), len(word))
	}
}

// ok: the words that show the line are a variable of the function.
func firstWord(text []byte) int {
	l := lines.Get().(*line)
	defer lines.Put(l)
	l.text = append(l.text[:0], text...)
	var w words3
	w.fill(l.text)
	return len(w.first)
}
