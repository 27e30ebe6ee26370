package alike

import (
	"bufio"
	"io"
	"sync"
)

// One value is given to a function twice, and one of the parameters may go back to a pool.

var lineReaders = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

type served struct {
	io.ReadWriteCloser
	r io.Reader
}

// ok: what is read from is the connection, which no pool takes, or a reader of it.
func serveOne(conn io.ReadWriteCloser, br *bufio.Reader, h func(io.ReadWriteCloser)) {
	var r io.Reader = conn
	if br != nil {
		r = br
	}
	go hijacked(r, conn, h)
}

func hijacked(r io.Reader, conn io.ReadWriteCloser, h func(io.ReadWriteCloser)) {
	h(served{conn, r})
	if br, ok := r.(*bufio.Reader); ok {
		lineReaders.Put(br)
	}
	h(conn)
}

// ok: without a goroutine.
func serveNow(conn io.ReadWriteCloser, br *bufio.Reader, h func(io.ReadWriteCloser)) {
	var r io.Reader = conn
	if br != nil {
		r = br
	}
	hijacked(r, conn, h)
}
