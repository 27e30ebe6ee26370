// Package oct002 holds slices, strings and readers over pooled memory that
// outlive its release, and code that looks like it and is not.
package oct002

import (
	"bytes"
	"io"
	"sync"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// b2s is the helper that many programs have.
func b2s(p []byte) string { return *(*string)(unsafe.Pointer(&p)) }

// bad: the program's own conversion without a copy.
func readHelperString(r io.Reader) string {
	line := bytespool.New(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return b2s(line[:n]) // want "OCT002: .*line.*"
}

type field struct {
	key, value []byte
}

// bad: the parts of a header point into the released line.
func parseHeader(r io.Reader) (f field) {
	line := bytespool.New(512)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	f.key, f.value, _ = bytes.Cut(line[:n], []byte(": "))
	return f // want "OCT002: .*(line|f).*"
}
