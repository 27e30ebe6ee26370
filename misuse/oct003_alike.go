//lint:file-ignore SA1019 programs written for the earlier package misuse memory by these names

package main

import (
	"io"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var oct003Alike = []program{
	{emptyReleased, "nil and empty slices are released any number of times"},
	{zeroBufferReleased, "a zero Buffer and a nil Buffer are released twice"},
	{closedByWriter, "Close by code that closes what it writes to, and Release"},
	{bodyClosedTwice, "a body is closed twice, after its Buffer was released"},
}

func closedByWriter() {
	buf := earlier.Get()
	defer buf.Release()
	var w io.WriteCloser = buf
	io.WriteString(w, "a file")
	if err := w.Close(); err != nil {
		use(err)
	}
	if buf.String() != "a file" {
		panic("another content: " + buf.String())
	}
}

func bodyClosedTwice() {
	buf := buffer.Get()
	buf.WriteString("a request")
	body := buf.Body()
	buf.Release()
	p, _ := io.ReadAll(body)
	body.Close()
	body.Close()
	use(p[0])
}

func emptyReleased() {
	for range 3 {
		bytespool.Release(nil)
		bytespool.Release([]byte{})
		b := bytespool.New(0)
		bytespool.Release(b)
	}
	earlier.PutReader(nil)
}

func zeroBufferReleased() {
	var zero earlier.Buffer
	zero.Release()
	zero.Release()
	var none *earlier.Buffer
	none.Release()
	none.Put()
}
