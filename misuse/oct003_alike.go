//lint:file-ignore SA1019 programs written for the earlier package misuse memory by these names

package main

import (
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var oct003Alike = []program{
	{eachReferenceReleased, "as many releases as references, in goroutines"},
	{emptyReleased, "nil and empty slices are released any number of times"},
	{readersGivenBack, "readers of one Buffer, each put once"},
	{putAllOnce, "PutAll in place of PutReader and Release"},
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

func eachReferenceReleased() {
	buf := buffer.Get()
	buf.WriteString("to eight readers")
	var wg sync.WaitGroup
	for range 8 {
		buf.RefInc()
		wg.Go(func() {
			defer buf.Release()
			use(buf.Bytes()[0])
		})
	}
	buf.Release()
	wg.Wait()
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

func readersGivenBack() {
	buf := earlier.NewString("read three times")
	var wg sync.WaitGroup
	for range 3 {
		r := buf.GetReader()
		wg.Go(func() {
			io.Copy(io.Discard, r)
			buf.PutReader(r)
		})
	}
	wg.Wait()
	buf.Release()
	r := earlier.GetReader([]byte("bytes of the program"))
	io.Copy(io.Discard, r)
	earlier.PutReader(r)
}

func putAllOnce() {
	buf := earlier.NewString("two readers")
	r, s := buf.GetReader(), buf.GetReader()
	io.Copy(io.Discard, r)
	buf.PutAll(r, s)
	earlier.Get().Release()
}

func zeroBufferReleased() {
	var zero earlier.Buffer
	zero.Release()
	zero.Release()
	var none *earlier.Buffer
	none.Release()
	none.Put()
}
