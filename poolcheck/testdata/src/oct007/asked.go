package oct007

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

// open returns the reader that fits.
func open(r io.Reader, text []byte) io.Reader {
	if r == nil {
		b := byteReaders.Get().(rewinder)
		b.Reset(text)
		return b
	}
	b := lineReaders.Get().(*bufio.Reader)
	b.Reset(r)
	return b
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

func drain(r io.Reader, text []byte) (int64, error) {
	b := open(r, text)
	defer shut(b)
	return io.Copy(io.Discard, b)
}

// bad: nothing asks for the type.
func drainText(text []byte) (int64, error) {
	b := byteReaders.Get().(rewinder)
	b.Reset(text)
	n, err := io.Copy(io.Discard, b)
	lineReaders.Put(b) // want "OCT007: .*b.*"
	return n, err
}
