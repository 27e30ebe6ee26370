package oct002

import (
	"bytes"
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

// ok: the cache takes the memory over and releases it when it evicts.
func (c *cache) fillOwned(key string, r io.Reader) {
	val := bytespool.New(1024)
	io.ReadFull(r, val)
	c.mu.Lock()
	if old, ok := c.items[key]; ok {
		bytespool.Release(old)
	}
	c.items[key] = val
	c.mu.Unlock()
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

type handlers struct{ onClose []func() }

// ok: the callback that is kept owns the memory and releases it.
func (h *handlers) registerOwned(w io.Writer, name string) {
	greeting := append(bytespool.Make(len(name)), name...)
	h.onClose = append(h.onClose, func() {
		w.Write(greeting)
		bytespool.Release(greeting)
	})
}

// ok: the iterator acquires and releases within its own run.
func wordsInside(r io.Reader) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		text := bytespool.New(4096)
		defer bytespool.Release(text)
		n, _ := r.Read(text)
		for _, w := range bytes.Fields(text[:n]) {
			if !yield(w) {
				return
			}
		}
	}
}

// bad: the attribute of the record shows mcache memory that was freed, and the
// handler runs later.
func attrs(key string, r io.Reader) slog.Attr {
	val := mcache.Malloc(32)
	defer mcache.Free(val)
	n, _ := r.Read(val)
	return slog.Any(key, val[:n]) // want "OCT002: .*val.*"
}

// entry is reused by a logger; its buffer stays with it.
type entry struct {
	buf    []byte
	fields []string
}

var entryPool = sync.Pool{New: func() any { return &entry{buf: make([]byte, 0, 500)} }}

// ok: a string made of the inner buffer is returned.
func formatEntryString(msg string) string {
	e := entryPool.Get().(*entry)
	defer entryPool.Put(e)
	e.buf = append(e.buf[:0], msg...)
	return string(e.buf)
}

// bad: the deferred release comes after the store, and before the caller looks.
func storedDeferred(to *struct{ text string }, p []byte) {
	b := append(bytespool.Make(len(p)), p...)
	defer bytespool.Release(b)
	to.text = unsafe.String(&b[0], len(b)) // want "OCT002: b outlives its release"
}

type visit struct{ user []byte }

var lastVisit *visit

// bad: a struct that outlives the function has a part of it.
func keepVisit(r io.Reader) {
	b := bytespool.New(64)
	r.Read(b)
	lastVisit = &visit{user: b[5:]} // want "OCT002: b outlives its release.*"
	bytespool.Release(b)
}

// ok: the struct has a copy.
func keepCopy(r io.Reader) {
	b := bytespool.New(64)
	r.Read(b)
	lastVisit = &visit{user: bytes.Clone(b[5:])}
	bytespool.Release(b)
}

// ok: the struct has other memory when the function ends.
func keepReplaced(r io.Reader) {
	b := bytespool.New(64)
	v := &visit{user: b[5:]}
	r.Read(v.user)
	v.user = nil
	lastVisit = v
	bytespool.Release(b)
}
