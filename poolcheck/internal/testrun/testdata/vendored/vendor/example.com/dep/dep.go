// Package dep returns memory that it has put back.
package dep

import "sync"

var pool = sync.Pool{New: func() any { b := make([]byte, 0, 64); return &b }}

func Quote(s string) []byte {
	b := pool.Get().(*[]byte)
	defer pool.Put(b)
	*b = append((*b)[:0], '"')
	*b = append(*b, s...)
	*b = append(*b, '"')
	return *b
}
