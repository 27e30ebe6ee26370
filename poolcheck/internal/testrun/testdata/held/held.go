// Package held has functions that return bytes of a pooled struct, which has its buffer in one way or another.
package held

import (
	"bufio"
	"bytes"
	"strings"
	"sync"
)

type contains struct {
	n   int
	buf bytes.Buffer
}

var containing = sync.Pool{New: func() any { return new(contains) }}

func contained(s string) []byte {
	c := containing.Get().(*contains)
	defer containing.Put(c)
	c.buf.Reset()
	c.buf.WriteString(s)
	return c.buf.Bytes()
}

type slices struct{ b []byte }

var slicing = sync.Pool{New: func() any { return new(slices) }}

func sliced(s string) []byte {
	x := slicing.Get().(*slices)
	defer slicing.Put(x)
	x.b = append(x.b[:0], s...)
	return x.b
}

type named bytes.Buffer

var naming = sync.Pool{New: func() any { return new(named) }}

func renamed(s string) []byte {
	n := naming.Get().(*named)
	defer naming.Put(n)
	b := (*bytes.Buffer)(n)
	b.Reset()
	b.WriteString(s)
	return b.Bytes()
}

type reads struct{ r *bufio.Reader }

var reading = sync.Pool{New: func() any { return &reads{bufio.NewReader(nil)} }}

func peeked(s string) []byte {
	r := reading.Get().(*reads)
	defer reading.Put(r)
	r.r.Reset(strings.NewReader(s))
	b, _ := r.r.Peek(len(s))
	return b
}
