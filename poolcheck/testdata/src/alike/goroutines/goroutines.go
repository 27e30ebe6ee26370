// Package goroutines has code in which goroutines work on pooled memory, and that is right.
package goroutines

import (
	"bytes"
	"io"
	"sync"
)

var (
	bufPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	boxes   = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}
)

func getBoxed() []byte  { return *boxes.Get().(*[]byte) }
func putBoxed(b []byte) { boxes.Put(&b) }

// A leaf counts its references under a lock.
type leaf struct {
	mu   sync.Mutex
	refs int
	data []byte
}

func (l *leaf) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refs--
	if l.refs == 0 {
		putBoxed(l.data)
	}
}

// ok: the goroutine has a reference.
func leafShared(w io.Writer) {
	l := &leaf{refs: 2, data: getBoxed()}
	go func() {
		defer l.release()
		w.Write(l.data)
	}()
	l.release()
}

func text(s string) *bytes.Buffer {
	b := bufPool.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(s)
	return b
}

type notifier struct{ last string }

// ok: the goroutine gets the error of a method of the buffer, and not the buffer.
func notifyError(n *notifier, r io.Reader) {
	b := text("")
	defer bufPool.Put(b)
	_, err := b.ReadFrom(r)
	go func(err error) { n.last = err.Error() }(err)
}

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
