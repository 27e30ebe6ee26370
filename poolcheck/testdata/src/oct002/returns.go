// Package oct002 holds slices, strings and readers over pooled memory that
// outlive its release, and code that looks like it and is not.
package oct002

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: Bytes of a buffer that the deferred Put gives away.
func marshalReturnsBytes(v any) ([]byte, error) {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer bufPool.Put(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil // want "OCT002: .*buf.*"
}

// bad: trimming the newline does not make it a copy.
func marshalTrimmed(v any) ([]byte, error) {
	buf := bufPool.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		bufPool.Put(buf)
	}()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil // want "OCT002: .*buf.*"
}

// ok: the named result is a copy made before the literal runs.
func marshalNamedResult(v any) (out []byte, err error) {
	buf := bufPool.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		bufPool.Put(buf)
	}()
	if err = json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	out = make([]byte, buf.Len())
	copy(out, buf.Bytes())
	return out, nil
}

// ok: returned as a string that the conversion copied.
func readString(r io.Reader) string {
	line := bytespool.New(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return string(line[:n])
}

// b2s is the helper that many programs have.
func b2s(p []byte) string { return *(*string)(unsafe.Pointer(&p)) }

// bad: the program's own conversion without a copy.
func readHelperString(r io.Reader) string {
	line := bytespool.New(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return b2s(line[:n]) // want "OCT002: .*line.*"
}

// ok: strings.Clone copies the string that shares memory.
func readClonedUnsafeString(r io.Reader) string {
	line := bytespool.New(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return strings.Clone(b2s(line[:n]))
}

// bad: UnsafeString of a Buffer that a defer releases.
func renderUnsafe(name string) string {
	page := earlier.Make(128)
	defer page.Release()
	page.WriteString("<p>")
	page.WriteString(name)
	return page.UnsafeString() // want "OCT002: .*page.*"
}

// bad: the reader that is returned reads released memory.
func bodyReader(v any) (io.Reader, error) {
	body := bytespool.Make(1024)
	defer bytespool.Release(body)
	body = fmt.Appendf(body, "%v", v)
	return bytes.NewReader(body), nil // want "OCT002: .*body.*"
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

// bad: released by hand, and returned on the next line.
func releasedAndReturned(name string) []byte {
	data := append(bytespool.Make(len(name)), name...)
	data = append(data, ".txt"...)
	bytespool.Release(data)
	return data // want "OCT00[12]: .*data.*"
}

// ok: the deferred release runs for errors only.
func handedOverOnSuccess(name string) (data []byte, err error) {
	buf := bytespool.New(4096)
	defer func() {
		if err != nil {
			bytespool.Release(buf)
		}
	}()
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = io.ReadFull(f, buf)
	if err != nil {
		return nil, err
	}
	return buf, nil
}

// ok: Detach hands the bytes to the caller; nothing is left to release.
func detached(name string) []byte {
	page := buffer.Get()
	page.WriteString("<p>")
	page.WriteString(name)
	return page.Detach()
}

// ok: a declared Buffer is kept, and used again after its release.
type page struct{ text buffer.Buffer }

func (p *page) clear() *buffer.Buffer {
	p.text.Release()
	return &p.text
}
