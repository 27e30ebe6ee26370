// Package boxed shows the fix for a sync.Pool of []byte, whose every Put
// allocates a slice header: the pool holds pointers instead.
package boxed

import (
	"io"
	"sync"
)

var chunks = sync.Pool{New: func() any { return make([]byte, 4096) }}

// bad: Put boxes the slice.
func pump(dst io.Writer, src io.Reader) error {
	chunk := chunks.Get().([]byte)
	defer chunks.Put(chunk) // want "chunk"
	_, err := io.CopyBuffer(dst, src, chunk)
	return err
}
