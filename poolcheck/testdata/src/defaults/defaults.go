// Package defaults has what is reported if no codes are named.
package defaults

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/octet-go/octet/bytespool"
	"google.golang.org/grpc/mem"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: the collector takes a buffer of a sync.Pool.
func lost(r io.Reader) error {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	if _, err := b.ReadFrom(r); err != nil {
		return err
	}
	if b.Len() == 0 {
		return errors.New("empty")
	}
	pool.Put(b)
	return nil
}

// bad: what corrupts is reported of any pool.
func returned(s string) []byte {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	b.Reset()
	b.WriteString(s)
	return b.Bytes() // want "OCT002: b outlives its release"
}

// bad: octet counts what is in use.
func lostSlice(r io.Reader) error {
	b := bytespool.New(64) // want "OCT004: b is not released on every path"
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	bytespool.Release(b)
	return nil
}

// bad: so does grpc.
func lostBuffer(p mem.BufferPool, data []byte, check func([]byte) error) error {
	b := mem.Copy(data, p) // want "OCT004: b is not released on every path"
	if err := check(b.ReadOnlyData()); err != nil {
		return err
	}
	b.Free()
	return nil
}

// bad: an allocator of Arrow may be one that checks.
func lostArrow(a memory.Allocator, r io.Reader) error {
	b := a.Allocate(64) // want "OCT004: b is not released on every path"
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	a.Free(b)
	return nil
}

// bad: a Buffer of Arrow is used after its last reference.
func arrowBuffer(a memory.Allocator) byte {
	b := memory.NewResizableBuffer(a)
	b.Retain()
	b.Release()
	b.Release()
	return b.Bytes()[0] // want "OCT001: b is used after its release"
}
