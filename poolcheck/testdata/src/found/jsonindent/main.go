// Jsonindent shows a fault of resty.dev/v3 v3.0.0-rc.4 (request.go:1922), of
// the kind that resty had before: https://github.com/go-resty/resty/pull/421.
// The indented JSON is returned from a buffer that a defer has given back.
//
// This program prints the first document after the second was indented:
//
//	{
//	   "secret": 2
//	}
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func acquireBuffer() *bytes.Buffer {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	return buf
}

func releaseBuffer(buf *bytes.Buffer) {
	if buf != nil {
		buf.Reset()
		bufPool.Put(buf)
	}
}

// bad: the bytes outlive the deferred release.
func jsonIndent(v []byte) []byte {
	buf := acquireBuffer()
	defer releaseBuffer(buf)
	if err := json.Indent(buf, v, "", "   "); err != nil {
		return v
	}
	return buf.Bytes() // want "OCT002: .*buf.*"
}

// ok: a copy does not.
func jsonIndentRight(v []byte) []byte {
	buf := acquireBuffer()
	defer releaseBuffer(buf)
	if err := json.Indent(buf, v, "", "   "); err != nil {
		return v
	}
	return bytes.Clone(buf.Bytes())
}

func main() {
	first := jsonIndent([]byte(`{"public": 1}`))
	jsonIndent([]byte(`{"secret": 2}`))
	fmt.Printf("%s\n", first)
}
