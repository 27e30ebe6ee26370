// Package held has functions that return bytes of a pooled struct, which has its buffer in one way or another.
package held

import (
	"bufio"
	"bytes"
	"strings"
	"sync"
)

type embeds struct {
	bytes.Buffer
	n int
}

var embedding = sync.Pool{New: func() any { return new(embeds) }}

func embedded(s string) []byte {
	e := embedding.Get().(*embeds)
	defer embedding.Put(e)
	e.Reset()
	e.WriteString(s)
	return e.Bytes()
}

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

type points struct{ buf *bytes.Buffer }

var pointing = sync.Pool{New: func() any { return &points{new(bytes.Buffer)} }}

func pointed(s string) []byte {
	p := pointing.Get().(*points)
	defer pointing.Put(p)
	p.buf.Reset()
	p.buf.WriteString(s)
	return p.buf.Bytes()
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

// The type has no name, and a semicolon.
var nameless = sync.Pool{New: func() any {
	return new(struct {
		bytes.Buffer
		n int
	})
}}

func unnamed(s string) []byte {
	x := nameless.Get().(*struct {
		bytes.Buffer
		n int
	})
	defer nameless.Put(x)
	x.Reset()
	x.WriteString(s)
	return x.Bytes()
}
