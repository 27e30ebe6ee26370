package goroutines

import (
	"bytes"
	"io"
	"net"
	"sync"
)

var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func text(s string) *bytes.Buffer {
	b := texts.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(s)
	return b
}

type notifier struct {
	notify func([]byte) error
	errs   chan error
	acks   chan struct{}
	last   string
}

// ok: the goroutine gets the error of a method of the buffer, and not the buffer.
func notifyError(n *notifier, r io.Reader) {
	b := text("")
	defer texts.Put(b)
	_, err := b.ReadFrom(r)
	go func(err error) { n.last = err.Error() }(err)
}

type link struct {
	conn net.Conn
	errs chan error
}

func (l *link) writeBeside(p []byte) {
	go func() {
		_, err := l.conn.Write(p)
		l.errs <- err
	}()
}
