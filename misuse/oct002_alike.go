package main

import (
	"bytes"
	"io"
	"strings"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct002Alike = []program{
	{returnedAsOwned, "returned to a caller who releases"},
	{readerWithOwner, "a reader whose Close releases what it reads"},
	{stringBeforeRelease, "a string made by unsafe is used before the release only"},
	{detachedAndKept, "what Detach returned outlives the Buffer"},
	{sharedOutlives, "a shared Buffer outlives its original"},
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
