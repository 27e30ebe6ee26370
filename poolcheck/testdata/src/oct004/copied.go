package oct004

import "sync"

// An entryBox is pooled, and knows how to copy itself.
type entryBox struct {
	key   []byte
	count int
}

var entryBoxes = sync.Pool{New: func() any { return new(entryBox) }}

func copyBox(to, from *entryBox) *entryBox {
	if to == nil {
		to = entryBoxes.Get().(*entryBox)
	}
	to.key = append(to.key[:0], from.key...)
	return to
}

func putBox(b *entryBox) { entryBoxes.Put(b) }

// bad: nil asks for a new one, and the result is dropped where it is not counted
func countCopy(from *entryBox, counted bool) int {
	b := copyBox(nil, from) // want "OCT004: b is not released on every path"
	if from.count > 0 && counted {
		n := b.count
		putBox(b)
		return n
	}
	return len(b.key)
}

// bad: a field is copied out, and the box is dropped
func countOf(from *entryBox, into *entryBox) {
	b := copyBox(nil, from) // want "OCT004: b is not released on every path"
	into.count = b.count
}

// bad: nil asks for a new one, which nobody looks at
func warm(from *entryBox) {
	copyBox(nil, from) // want "OCT004: pooled memory is not released on every path"
}

// ok: what the box held goes into another one as a whole
func moveInto(into, from *entryBox) {
	b := copyBox(nil, from)
	*into = *b
}

// ok: the caller has an entry already
func overwrite(into, from *entryBox) {
	copyBox(into, from)
}
