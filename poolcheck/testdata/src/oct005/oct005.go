// Package oct005 holds memory that is released while another goroutine was given it, and nothing has waited. And code
// that looks like it and is not.
package oct005

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

type job struct {
	id   int
	body []byte
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func use([]byte) {}

// bad: the release that was deferred comes before the goroutine has begun.
func started(w io.Writer, text string) {
	b := append(bytespool.Make(len(text)), text...)
	defer bytespool.Release(b) // want "OCT005: b .*"
	go w.Write(b)
}

// bad: a literal.
func literal(text string) {
	b := append(bytespool.Make(len(text)), text...)
	go func() { fmt.Println(len(b), b[0]) }()
	bytespool.Release(b) // want "OCT005: b .*"
}

// bad: a function of the package.
func named(text string) {
	b := append(bytespool.Make(len(text)), text...)
	go show(b)
	bytespool.Release(b) // want "OCT005: b .*"
}

func show(b []byte) { fmt.Println(b[0]) }

// bad: a part of it in a struct.
func inStruct(jobs chan<- job) {
	for i := range 8 {
		b := bytespool.New(64)
		jobs <- job{i, b[:8]}
		bytespool.Release(b) // want "OCT005: b .*"
	}
}

// bad: by way of a select.
func selected(out chan<- []byte, full func()) {
	b := bytespool.New(64)
	select {
	case out <- b:
	default:
		full()
	}
	bytespool.Release(b) // want "OCT005: b .*"
}

// bad: what a sync.Pool gave.
func pooled(out chan<- []byte) {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf) // want "OCT005: buf .*"
	buf.Reset()
	buf.WriteString("tick")
	out <- buf.Bytes()
}

// bad: to print that it was sent is not to wait.
func logged(out chan<- []byte) {
	b := bytespool.New(64)
	out <- b
	fmt.Println("sent")
	bytespool.Release(b) // want "OCT005: b .*"
}
