// Package compact shows two faults of github.com/bytedance/sonic v1.15.5: paths
// that do not free what the others do. They are Compact
// (internal/encoder/prim/primitives.go:32), whose error path is chosen by who
// writes the JSON, and the indented Encode (internal/encoder/stream.go:51), which
// frees its buffer only when something failed.
package compact

import (
	"bytes"
	"encoding/json"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func newBuffer() *bytes.Buffer { return pool.Get().(*bytes.Buffer) }

// ok: what has grown too large is left to the collector.
func freeBuffer(buf *bytes.Buffer) {
	if buf.Cap() <= 1<<20 {
		buf.Reset()
		pool.Put(buf)
	}
}

// bad: the error path does not free.
func compact(dst *[]byte, src []byte) error {
	buf := newBuffer() // want "OCT004: .*buf.*"
	if err := json.Compact(buf, src); err != nil {
		return err
	}
	*dst = append(*dst, buf.Bytes()...)
	freeBuffer(buf)
	return nil
}

// ok: all paths free.
func compactRight(dst *[]byte, src []byte) error {
	buf := newBuffer()
	err := json.Compact(buf, src)
	if err == nil {
		*dst = append(*dst, buf.Bytes()...)
	}
	freeBuffer(buf)
	return err
}
