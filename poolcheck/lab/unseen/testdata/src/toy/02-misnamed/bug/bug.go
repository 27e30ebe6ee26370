// Package bug is part of a toy: it shows how programs are scored.
package bug

import (
	"bytes"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func length(s string) int {
	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(s)
	pool.Put(buf)
	return buf.Len()
}
