// Package oct002 holds slices, strings and readers over pooled memory that
// outlive its release, and code that looks like it and is not.
package oct002

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"text/template"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/valyala/bytebufferpool"

	"oct002/store"
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

// ok: a clone of the bytes is returned.
func marshalReturnsClone(v any) ([]byte, error) {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer bufPool.Put(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(buf.Bytes()), nil
}

// ok: String of a bytes.Buffer copies.
func marshalReturnsString(v any) (string, error) {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer bufPool.Put(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return "", err
	}
	return buf.String(), nil
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

// bad: a part of the slice is returned while a defer releases the whole.
func readLine(r io.Reader) []byte {
	line := bytespool.Get(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return line[:n] // want "OCT002: .*line.*"
}

// ok: the caller owns what is returned; only the error path releases.
func readOwned(r io.Reader) ([]byte, error) {
	line := bytespool.Get(256)
	n, err := r.Read(line)
	if err != nil {
		bytespool.Release(line)
		return nil, err
	}
	return line[:n], nil
}

// ok: returned as a string that the conversion copied.
func readString(r io.Reader) string {
	line := bytespool.Get(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return string(line[:n])
}

// bad: a string without a copy is returned over released memory.
func readUnsafeString(r io.Reader) string {
	line := bytespool.Get(256)
	defer bytespool.Release(line)
	n, err := r.Read(line)
	if err != nil || n == 0 {
		return ""
	}
	return unsafe.String(unsafe.SliceData(line), n) // want "OCT002: .*line.*"
}

// b2s is the helper that many programs have.
func b2s(p []byte) string { return *(*string)(unsafe.Pointer(&p)) }

// bad: the program's own conversion without a copy.
func readHelperString(r io.Reader) string {
	line := bytespool.Get(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return b2s(line[:n]) // want "OCT002: .*line.*"
}

// ok: strings.Clone copies the string that shares memory.
func readClonedUnsafeString(r io.Reader) string {
	line := bytespool.Get(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return strings.Clone(b2s(line[:n]))
}

// bad: UnsafeString of a Buffer that a defer releases.
func renderUnsafe(name string) string {
	page := buffer.Get(128)
	defer page.Release()
	page.WriteString("<p>")
	page.WriteString(name)
	return page.UnsafeString() // want "OCT002: .*page.*"
}

// ok: String of a Buffer copies.
func renderSafe(name string) string {
	page := buffer.Get(128)
	defer page.Release()
	page.WriteString("<p>")
	page.WriteString(name)
	return page.String()
}

// ok: append to nil copies the field.
func renderFieldCopied(tpl *template.Template, v any) ([]byte, error) {
	page := bytebufferpool.Get()
	defer bytebufferpool.Put(page)
	err := tpl.Execute(page, v)
	return append([]byte(nil), page.B...), err
}

// bad: the reader that is returned reads released memory.
func bodyReader(v any) (io.Reader, error) {
	body := bytespool.Make(1024)
	defer bytespool.Release(body)
	body = fmt.Appendf(body, "%v", v)
	return bytes.NewReader(body), nil // want "OCT002: .*body.*"
}

// ok: the request is done before the buffer goes back.
func doRequest(c *http.Client, url string, v any) (int, error) {
	buf := bufPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer bufPool.Put(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return 0, err
	}
	resp, err := c.Post(url, "application/json", strings.NewReader(buf.String()))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, nil
}

// ok: hex and base64 make new strings.
func digests(r io.Reader) (string, string) {
	sum := bytespool.Get(32)
	defer bytespool.Release(sum)
	io.ReadFull(r, sum)
	return hex.EncodeToString(sum), base64.StdEncoding.EncodeToString(sum)
}

// ok: the struct shows a copy.
func parseCopied(r io.Reader) *store.Msg {
	text := bytespool.Get(512)
	defer bytespool.Release(text)
	n, _ := r.Read(text)
	return store.Wrap(bytes.Clone(text[:n]))
}

type field struct {
	key, value []byte
}

// bad: the parts of a header point into the released line.
func parseHeader(r io.Reader) (f field) {
	line := bytespool.Get(512)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	f.key, f.value, _ = bytes.Cut(line[:n], []byte(": "))
	return f // want "OCT002: .*(line|f).*"
}

// ok: the parts of a header are converted to strings.
func parseHeaderStrings(r io.Reader) (key, value string) {
	line := bytespool.Get(512)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	k, v, _ := bytes.Cut(line[:n], []byte(": "))
	return string(k), string(v)
}

// bad: released by hand, and returned on the next line.
func releasedAndReturned(name string) []byte {
	data := bytespool.NewString(name)
	data = append(data, ".txt"...)
	bytespool.Release(data)
	return data // want "OCT00[12]: .*data.*"
}

// ok: the flag tells the defer that the memory was handed over.
func handedOverByFlag(name string) (data []byte, err error) {
	data = bytespool.Get(4096)
	ok := false
	defer func() {
		if !ok {
			bytespool.Release(data)
			data = nil
		}
	}()
	f, err := os.Open(name)
	if err != nil {
		return data, err
	}
	defer f.Close()
	if _, err = io.ReadFull(f, data); err != nil {
		return data, err
	}
	ok = true
	return data, nil
}

// ok: the deferred release runs for errors only.
func handedOverOnSuccess(name string) (data []byte, err error) {
	buf := bytespool.Get(4096)
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

// ok: what is returned is the count.
func returnsCount(r io.Reader) int {
	line := bytespool.Get(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return n + len(line)
}

// ok: what is returned is one byte.
func returnsByte(r io.Reader) byte {
	line := bytespool.Get(1)
	defer bytespool.Release(line)
	io.ReadFull(r, line)
	return line[0]
}

// ok: the caller gets the memory together with the function that ends it.
func withCleanup(r io.Reader) ([]byte, func()) {
	line := bytespool.Get(256)
	n, _ := r.Read(line)
	return line[:n], func() { bytespool.Release(line) }
}

// ok: appended to the caller's slice, which copies.
func appendTo(dst []byte, r io.Reader) []byte {
	line := bytespool.Get(256)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	return append(dst, line[:n]...)
}

// ok: the Buffer itself goes to the caller, who releases it.
func ownedBuffer(name string) *buffer.Buffer {
	page := buffer.NewString("<p>")
	page.WriteString(name)
	return page
}

// ok: Detach hands the bytes to the caller; nothing is left to release.
func detached(name string) []byte {
	page := buffer.NewString("<p>")
	page.WriteString(name)
	return page.Detach()
}

// ok: Copy is released by the caller; the Buffer by us.
func copied(name string) []byte {
	page := buffer.NewString("<p>")
	defer page.Release()
	page.WriteString(name)
	return page.Copy()
}

// ok: a reference is taken for the caller before the deferred release gives
// ours back.
func referenced(name string) *buffer.Buffer {
	page := buffer.NewString(name)
	defer page.Release()
	page.RefInc()
	return page
}

// ok: a declared Buffer is kept, and used again after its release.
type page struct{ text buffer.Buffer }

func (p *page) clear() *buffer.Buffer {
	p.text.Release()
	return &p.text
}
