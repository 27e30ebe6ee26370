package oct002

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"

	"oct002/store"
)

type cache struct {
	mu    sync.Mutex
	items map[string][]byte
	names map[string]int
	last  []byte
	blob  atomic.Pointer[[]byte]
}

// ok: the cache keeps a copy.
func (c *cache) fillCopied(key string, r io.Reader) {
	val := bytespool.Get(1024)
	n, _ := r.Read(val)
	c.mu.Lock()
	c.items[key] = bytes.Clone(val[:n])
	c.mu.Unlock()
	bytespool.Release(val)
}

// ok: the cache takes the memory over and releases it when it evicts.
func (c *cache) fillOwned(key string, r io.Reader) {
	val := bytespool.Get(1024)
	io.ReadFull(r, val)
	c.mu.Lock()
	if old, ok := c.items[key]; ok {
		bytespool.Release(old)
	}
	c.items[key] = val
	c.mu.Unlock()
}

func (c *cache) evict(key string) {
	c.mu.Lock()
	bytespool.Release(c.items[key])
	delete(c.items, key)
	c.mu.Unlock()
}

// ok: the conversion in a map update copies.
func (c *cache) countCopied(r io.Reader) {
	word := bytespool.Get(64)
	n, _ := r.Read(word)
	c.mu.Lock()
	c.names[string(word[:n])]++
	c.mu.Unlock()
	bytespool.Release(word)
}

// ok: a lookup keeps nothing.
func (c *cache) seen(r io.Reader) bool {
	word := bytespool.Get(64)
	defer bytespool.Release(word)
	n, _ := r.Read(word)
	_, ok := c.names[b2s(word[:n])]
	return ok
}

// ok: the field is set to nil again before the release.
func (c *cache) borrow(r io.Reader, use func(*cache)) {
	line := bytespool.Get(128)
	n, _ := r.Read(line)
	c.last = line[:n]
	use(c)
	c.last = nil
	bytespool.Release(line)
}

// ok: the field is overwritten with a copy of what it showed.
func (c *cache) rememberCopied(r io.Reader) {
	line := bytespool.Get(128)
	defer bytespool.Release(line)
	n, _ := r.Read(line)
	c.last = append(c.last[:0], line[:n]...)
}

// ok: the new snapshot is published and the old one released.
func (c *cache) publishOwned(r io.Reader) {
	snap := bytespool.Get(512)
	io.ReadFull(r, snap)
	if old := c.blob.Swap(&snap); old != nil {
		bytespool.Release(*old)
	}
}

var lastError string

// bad: a package variable keeps a string over released memory.
func rememberError(r io.Reader) {
	text := buffer.Get(256)
	text.ReadFrom(r)
	lastError = text.UnsafeString() // want "OCT002: .*text.*"
	text.Release()
}

// ok: the package variable keeps a copy.
func rememberErrorCopied(r io.Reader) {
	text := buffer.Get(256)
	text.ReadFrom(r)
	lastError = text.String()
	text.Release()
}

// ok: a helper of another package copies its argument.
func copyInStore(r io.Reader) {
	item := bytespool.Get(64)
	io.ReadFull(r, item)
	store.KeepCopy(item)
	store.PutID("x", item)
	bytespool.Release(item)
}

// ok: the batch is released by its user, after use.
func batchOwned(r io.Reader, use func([][]byte)) {
	var rows [][]byte
	for i := 0; i < 16; i++ {
		row := bytespool.Get(128)
		if _, err := io.ReadFull(r, row); err != nil {
			bytespool.Release(row)
			break
		}
		rows = append(rows, row)
	}
	use(rows)
	for _, row := range rows {
		bytespool.Release(row)
	}
}

// ok: the vector of a writev is dropped before the parts go back.
func writev(c net.Conn, body []byte) error {
	head := bytespool.NewString("HTTP/1.1 200 OK\r\n\r\n")
	vec := net.Buffers{head, body}
	_, err := vec.WriteTo(c)
	bytespool.Release(head)
	return err
}

// ok: a copy is sent.
func sendCopy(out chan<- []byte, r io.Reader) {
	msg := bytespool.Get(64)
	defer bytespool.Release(msg)
	io.ReadFull(r, msg)
	out <- bytes.Clone(msg)
}

// ok: the receiver owns what it receives.
func sendOwned(out chan<- []byte, r io.Reader) {
	for {
		msg := bytespool.Get(64)
		if _, err := io.ReadFull(r, msg); err != nil {
			bytespool.Release(msg)
			close(out)
			return
		}
		out <- msg
	}
}

type handlers struct{ onClose []func() }

// ok: the callback that is kept owns the memory and releases it.
func (h *handlers) registerOwned(w io.Writer, name string) {
	greeting := bytespool.NewString(name)
	h.onClose = append(h.onClose, func() {
		w.Write(greeting)
		bytespool.Release(greeting)
	})
}

// ok: the callback captures a count, not the memory.
func (h *handlers) registerCount(report func(int), r io.Reader) {
	line := bytespool.Get(128)
	n, _ := r.Read(line)
	h.onClose = append(h.onClose, func() { report(n) })
	bytespool.Release(line)
}

// ok: the iterator acquires and releases within its own run.
func wordsInside(r io.Reader) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		text := bytespool.Get(4096)
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

// ok: the attribute of the record is a string of its own.
func attrsString(key string, r io.Reader) slog.Attr {
	val := mcache.Malloc(32)
	defer mcache.Free(val)
	n, _ := r.Read(val)
	return slog.String(key, string(val[:n]))
}

// entry is reused by a logger; its buffer stays with it.
type entry struct {
	buf    []byte
	fields []string
}

var entryPool = sync.Pool{New: func() any { return &entry{buf: make([]byte, 0, 500)} }}

// ok: the pooled struct keeps its own slice, grown, for its next user.
func (e *entry) write(w io.Writer, msg string) {
	e.buf = append(e.buf[:0], msg...)
	e.buf = append(e.buf, '\n')
	w.Write(e.buf)
	entryPool.Put(e)
}

// bad: the inner buffer of a pooled struct is returned after the struct went
// back.
func formatEntry(msg string) []byte {
	e := entryPool.Get().(*entry)
	defer entryPool.Put(e)
	e.buf = append(e.buf[:0], msg...)
	return e.buf // want "OCT002: .*e.*"
}

// ok: a string made of the inner buffer is returned.
func formatEntryString(msg string) string {
	e := entryPool.Get().(*entry)
	defer entryPool.Put(e)
	e.buf = append(e.buf[:0], msg...)
	return string(e.buf)
}
