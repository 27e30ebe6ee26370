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
