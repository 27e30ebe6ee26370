package oct001

import (
	"io"
	"runtime"
	"sync"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// ok: KeepAlive reads nothing.
func keptAlive(w io.Writer, s string) {
	b := buffer.NewString(s)
	b.WriteTo(w)
	b.Release()
	runtime.KeepAlive(b)
}

// bad: a byte of a string without a copy.
func stringIndexed(s string) byte {
	b := append(bytespool.Make(len(s)), s...)
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
