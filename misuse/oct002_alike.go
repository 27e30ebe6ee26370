package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct002Alike = []program{
	{returnedAsOwned, "returned to a caller who releases"},
	{storedAndClosed, "stored in a struct whose Close releases"},
	{readerWithOwner, "a reader whose Close releases what it reads"},
	{stringBeforeRelease, "a string made by unsafe is used before the release only"},
	{scratchKey, "a string over a pooled slice looks up a map, and is not kept"},
	{detachedAndKept, "what Detach returned outlives the Buffer"},
	{sharedOutlives, "a shared Buffer outlives its original"},
	{writerKept, "a bufio.Writer is flushed before its buffer's release"},
}

func readUserOwned(r io.Reader) []byte {
	b := bytespool.New(64)
	n, _ := r.Read(b)
	return b[:n]
}

func returnedAsOwned() {
	user := readUserOwned(strings.NewReader("gopher"))
	use(user[0])
	bytespool.Release(user)
}

// A lineBuffer owns a pooled slice.
type lineBuffer struct {
	b    []byte
	used int
}

func newLineBuffer() *lineBuffer { return &lineBuffer{b: bytespool.New(256)} }

func (l *lineBuffer) Write(p []byte) (int, error) {
	n := copy(l.b[l.used:], p)
	l.used += n
	return n, nil
}

func (l *lineBuffer) Close() error {
	bytespool.Release(l.b)
	l.b = nil
	return nil
}

func storedAndClosed() {
	l := newLineBuffer()
	defer l.Close()
	io.WriteString(l, "one ")
	io.WriteString(l, "two")
	use(l.b[0])
}

// A body releases its Buffer when it is closed.
type body struct {
	io.Reader
	buf *buffer.Buffer
}

func (b body) Close() error {
	b.buf.Release()
	return nil
}

func readerWithOwner() {
	buf := buffer.NewString("a body")
	var rc io.ReadCloser = body{bytes.NewReader(buf.Bytes()), buf}
	p, _ := io.ReadAll(rc)
	rc.Close()
	use(p[0])
}

func stringBeforeRelease() {
	b := bytespool.NewString("GET /index.html")
	s := unsafe.String(&b[0], len(b))
	path := strings.Clone(s[strings.IndexByte(s, ' ')+1:])
	bytespool.Release(b)
	use(path[0])
}

func scratchKey() {
	ports := map[string]int{"http": 80, "https": 443}
	buf := buffer.NewString("https")
	port := ports[buf.UnsafeString()]
	buf.Release()
	use(port)
	use(ports["https"])
}

func detachedAndKept() {
	buf := buffer.NewString("taken out")
	b := buf.Detach()
	buf.WriteString("something else")
	buf.Release()
	use(b[0])
	b[0] = 'T'
	bytespool.Release(b)
}

func sharedOutlives() {
	buf := buffer.NewString("for a cache and a client")
	view := buf.Share()
	buf.Release()
	use(view.String())
	view.WriteString(" appended")
	use(view.Len())
	view.Release()
}

func writerKept() {
	b := bytespool.New(512)
	w := bufio.NewWriterSize(io.Discard, 16)
	copy(b, "through a writer")
	w.Write(b[:100])
	w.Flush()
	bytespool.Release(b)
	w.Flush()
}
