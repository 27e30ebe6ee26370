package oct003

import (
	"bytes"
	"io"
	"sync"
)

var againBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A body gives its buffer back when all was read.
type body struct{ buf *bytes.Buffer }

func newBody(p []byte) *body {
	b := &body{againBufs.Get().(*bytes.Buffer)}
	b.buf.Reset()
	b.buf.Write(p)
	return b
}

// bad: who reads on gets io.EOF, and the buffer goes back once more.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.buf.Read(p)
	if err == io.EOF {
		againBufs.Put(b.buf) // want "OCT003: b.buf is released here each time that Read is called"
	}
	return n, err
}

// ok: nobody calls release twice.
func (b *body) release() { againBufs.Put(b.buf) }

// A bodyOnce remembers that it has none any more.
type bodyOnce struct {
	buf  *bytes.Buffer
	done bool
}

func newBodyOnce() *bodyOnce { return &bodyOnce{buf: againBufs.Get().(*bytes.Buffer)} }

// ok: the field is empty when Read is called again.
func (b *bodyOnce) Read(p []byte) (int, error) {
	if b.buf == nil {
		return 0, io.EOF
	}
	n, err := b.buf.Read(p)
	if err == io.EOF {
		againBufs.Put(b.buf)
		b.buf = nil
	}
	return n, err
}

// ok: the flag says that the buffer is gone.
func (b *bodyOnce) WriteTo(w io.Writer) (int64, error) {
	if b.done {
		return 0, nil
	}
	n, err := b.buf.WriteTo(w)
	b.done = true
	againBufs.Put(b.buf)
	return n, err
}

// ok: it has another one when Flush is called again.
func (b *bodyOnce) Flush() error {
	againBufs.Put(b.buf)
	b.buf = againBufs.Get().(*bytes.Buffer)
	b.buf.Reset()
	return nil
}
