package oct002

import (
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

type cache struct {
	mu    sync.Mutex
	items map[string][]byte
	names map[string]int
	last  []byte
	blob  atomic.Pointer[[]byte]
}

// ok: the new snapshot is published and the old one released.
func (c *cache) publishOwned(r io.Reader) {
	snap := bytespool.New(512)
	io.ReadFull(r, snap)
	if old := c.blob.Swap(&snap); old != nil {
		bytespool.Release(*old)
	}
}

var lastError string

// bad: a package variable keeps a string over released memory.
func rememberError(r io.Reader) {
	text := buffer.Make(256)
	text.ReadFrom(r)
	lastError = text.UnsafeString() // want "OCT002: .*text.*"
	text.Release()
}

// bad: the attribute of the record shows mcache memory that was freed, and the
// handler runs later.
func attrs(key string, r io.Reader) slog.Attr {
	val := mcache.Malloc(32)
	defer mcache.Free(val)
	n, _ := r.Read(val)
	return slog.Any(key, val[:n]) // want "OCT002: .*val.*"
}

// bad: the deferred release comes after the store, and before the caller looks.
func storedDeferred(to *struct{ text string }, p []byte) {
	b := append(bytespool.Make(len(p)), p...)
	defer bytespool.Release(b)
	to.text = unsafe.String(&b[0], len(b)) // want "OCT002: b outlives its release"
}
