// Lateclose shows a fault of github.com/meilisearch/meilisearch-go v0.36.3
// (encoding.go:82, and twice more): when the source fails, the buffer is put
// back, and after that the deferred Close of the compressor writes into it.
//
// This program prints how much lies in the buffer that the pool hands out
// next, while nobody has written to it:
//
//	encode: source failed
//	23 bytes in a buffer from the pool
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"
)

var (
	writers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

// bad: the writer was pointed at the buffer, and is closed after the Put.
func encode(src io.Reader) (*bytes.Buffer, error) {
	zw := writers.Get().(*gzip.Writer)
	defer writers.Put(zw)
	defer func() {
		zw.Close() // want "OCT001: .*(buf|zw).*"
	}()
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	zw.Reset(buf)
	if _, err := io.Copy(zw, src); err != nil {
		buffers.Put(buf)
		return nil, err
	}
	return buf, nil
}

// ok: closed before the buffer goes back.
func encodeRight(src io.Reader) (*bytes.Buffer, error) {
	zw := writers.Get().(*gzip.Writer)
	defer writers.Put(zw)
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	zw.Reset(buf)
	_, err := io.Copy(zw, src)
	if cerr := zw.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		buffers.Put(buf)
		return nil, err
	}
	return buf, nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("source failed") }

func main() {
	if _, err := encode(failing{}); err != nil {
		fmt.Println("encode:", err)
	}
	buf := buffers.Get().(*bytes.Buffer)
	fmt.Println(buf.Len(), "bytes in a buffer from the pool")
	buffers.Put(buf)
}
