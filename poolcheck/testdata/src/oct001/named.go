package oct001

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"sync"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// ok: KeepAlive reads nothing.
func keptAlive(w io.Writer, s string) {
	b := buffer.NewString(s)
	b.WriteTo(w)
	b.Release()
	runtime.KeepAlive(b)
}

type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// ok: a response does not show its request's body.
func responseAfter(c doer, url, s string) error {
	b := buffer.NewString(s)
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(b.Bytes()))
	if err != nil {
		b.Release()
		return err
	}
	resp, err := c.Do(req)
	b.Release()
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// bad: a byte of a string without a copy.
func stringIndexed(s string) byte {
	b := bytespool.NewString(s)
	key := unsafe.String(&b[0], len(b))
	bytespool.Release(b)
	return key[0] // want "OCT001: .*b.*"
}

var boxPool = sync.Pool{New: func() any { b := make([]byte, 0, 4096); return &b }}

func boxedGet() []byte  { return (*boxPool.Get().(*[]byte))[:0] }
func boxedPut(b []byte) { boxPool.Put(&b) }

// bad: the helper that boxes the slice releases it.
func boxedUsed(w io.Writer, s string) {
	b := append(boxedGet(), s...)
	boxedPut(b)
	w.Write(b) // want "OCT001: .*"
}

// ok: put at the end.
func boxedLast(w io.Writer, s string) {
	b := append(boxedGet(), s...)
	w.Write(b)
	boxedPut(b)
}
