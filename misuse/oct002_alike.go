package main

import (
	"bytes"
	"io"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct002Alike = []program{
	{readerWithOwner, "a reader whose Close releases what it reads"},
	{detachedAndKept, "what Detach returned outlives the Buffer"},
	{sharedOutlives, "a shared Buffer outlives its original"},
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
	buf := buffer.Get()
	buf.WriteString("a body")
	var rc io.ReadCloser = body{bytes.NewReader(buf.Bytes()), buf}
	p, _ := io.ReadAll(rc)
	rc.Close()
	use(p[0])
}

func detachedAndKept() {
	buf := buffer.Get()
	buf.WriteString("taken out")
	b := buf.Detach()
	buf.WriteString("something else")
	buf.Release()
	use(b[0])
	b[0] = 'T'
	bytespool.Release(b)
}

func sharedOutlives() {
	buf := buffer.Get()
	buf.WriteString("for a cache and a client")
	view := buf.Share()
	buf.Release()
	use(view.String())
	view.WriteString(" appended")
	use(view.Len())
	view.Release()
}
