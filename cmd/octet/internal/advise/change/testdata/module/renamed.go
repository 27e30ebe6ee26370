package module

import (
	"io"

	pool "github.com/octet-go/octet/bytespool"
)

// Renamed knows the pool by another name.
func Renamed(w io.Writer) {
	b := make([]byte, 4) // changed
	w.Write(b)
	c := pool.New(4)
	pool.Release(c)
}
