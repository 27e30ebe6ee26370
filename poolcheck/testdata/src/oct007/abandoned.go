package oct007

import (
	"bytes"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

// ok: nobody uses the bytes.Buffer again.
func bufferAbandoned(s string) int {
	var buf bytes.Buffer
	n, _ := buf.WriteString(s)
	bytespool.Release(buf.Bytes())
	return n
}

// bad: the bytes.Buffer is read again.
func bufferReadAgain(s string) string {
	var buf bytes.Buffer
	buf.WriteString(s)
	bytespool.Release(buf.Bytes()) // want "OCT007: .*buf.*"
	return buf.String()
}

// bad: the next round writes to it.
func bufferWrittenAgain(ss []string) {
	var buf bytes.Buffer
	for _, s := range ss {
		buf.WriteString(s)
		bytespool.Release(buf.Bytes()) // want "OCT007: .*buf.*"
	}
}

// bad: a literal can reach it.
func bufferCaptured(s string) func() string {
	var buf bytes.Buffer
	buf.WriteString(s)
	bytespool.Release(buf.Bytes()) // want "OCT007: .*buf.*"
	return func() string { return buf.String() }
}

var pairs, words = &sync.Pool{New: func() any { return new([][2]byte) }}, &sync.Pool{New: func() any { return new([]byte) }}

func getFrom[T any](p *sync.Pool) *[]T { return p.Get().(*[]T) }

func putTo[T any](p *sync.Pool, s *[]T) { p.Put(s) }

// ok: generic helpers take from several pools.
func genericHelpers() {
	a := getFrom[byte](words)
	defer putTo(words, a)
	b := getFrom[[2]byte](pairs)
	defer putTo(pairs, b)
}

// bad: and put into the wrong one.
func genericHelpersSwapped() {
	a := getFrom[byte](words)
	defer putTo(pairs, a) // want "OCT007: .*"
}
