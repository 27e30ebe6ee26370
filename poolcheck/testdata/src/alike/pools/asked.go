package pools

import (
	"bufio"
	"bytes"
	"io"
	"sync"
)

var (
	lineReaders = sync.Pool{New: func() any { return bufio.NewReader(nil) }}
	byteReaders = sync.Pool{New: func() any { return new(bytes.Reader) }}
)

type rewinder interface {
	io.Reader
	Reset(p []byte)
}

// ok: the type of the reader tells its pool.
func shut(r io.Reader) {
	switch r := r.(type) {
	case *bufio.Reader:
		lineReaders.Put(r)
	case rewinder:
		byteReaders.Put(r)
	}
}
