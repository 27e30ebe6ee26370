package oct004

import (
	"bytes"
	"sync"
)

var labelPool = sync.Pool{New: func() any { return make([]byte, 64) }}

// ok: the caller has what the buffer shows, also behind Truncate.
func newLabel(n int, text string) []byte {
	p := labelPool.Get().([]byte)
	b := bytes.NewBuffer(p[:0])
	b.WriteString(text)
	b.Truncate(n)
	return b.Bytes()
}

// bad: a copy does not show the slice.
func copyLabel(n int, text string) string {
	p := labelPool.Get().([]byte) // want "OCT004: p is not released on every path"
	b := bytes.NewBuffer(p[:0])
	b.WriteString(text)
	b.Truncate(n)
	return b.String()
}

func putLabel(p []byte) { labelPool.Put(p) }
