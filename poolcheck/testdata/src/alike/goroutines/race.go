// Package goroutines has code in which goroutines work on pooled memory, and that is right.
package goroutines

import (
	"bytes"
	"io"
	"log"
	"net"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

var bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: io.Pipe's writer goroutine puts.
func pipeBodyRight(v []string) io.Reader {
	body := bufPool.Get().(*bytes.Buffer)
	body.Reset()
	for _, s := range v {
		body.WriteString(s)
	}
	pr, pw := io.Pipe()
	go func() {
		_, err := body.WriteTo(pw)
		bufPool.Put(body)
		pw.CloseWithError(err)
	}()
	return pr
}

// ok: the goroutine is started after the release and does not see the memory.
func startAfter(r io.Reader) {
	head := bytespool.New(16)
	n, _ := r.Read(head)
	bytespool.Release(head)
	go log.Printf("read %d", n)
}

type writer struct {
	c    net.Conn
	jobs chan []byte
}

func (w *writer) write(j []byte) { w.c.Write(j) }
