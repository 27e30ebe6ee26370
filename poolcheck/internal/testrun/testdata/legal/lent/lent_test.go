// Package lent pools structs that have memory of somebody else when they are put.
package lent

import (
	"bytes"
	"io"
	"sync"
	"testing"
)

const text = "the same in all tests of the package"

// An encoder writes to a buffer that it is given, and keeps the pointer until it is given another.
type encoder struct {
	out *bytes.Buffer
	n   int
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func encode(out *bytes.Buffer) {
	e := encoders.Get().(*encoder)
	e.out = out
	e.out.WriteString(text)
	encoders.Put(e)
}

func TestBufferOfCaller(t *testing.T) {
	for range 3 {
		var out bytes.Buffer
		encode(&out)
		if out.String() != text {
			t.Fatalf("%q", out.String())
		}
	}
}

// A printer has a table that all printers share.
type printer struct {
	table []byte
	b     []byte
}

var (
	table    = bytes.ToUpper([]byte(text))
	printers = sync.Pool{New: func() any { return &printer{table: table} }}
)

func print(k int) string {
	p := printers.Get().(*printer)
	defer printers.Put(p)
	p.b = append(p.b[:0], p.table[k:]...)
	return string(p.b)
}

func TestTable(t *testing.T) {
	for k := range 3 {
		if s := print(k); s != string(table[k:]) {
			t.Fatalf("%q", s)
		}
	}
}

// A cache keeps what it has computed for the next one who takes it.
type cache struct{ primes []byte }

var caches = sync.Pool{New: func() any { return new(cache) }}

func prime(k int) byte {
	c := caches.Get().(*cache)
	defer caches.Put(c)
	if c.primes == nil {
		c.primes = append(make([]byte, 0, 64), 2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
	}
	return c.primes[k]
}

func TestCache(t *testing.T) {
	for k, want := range []byte{2, 3, 5, 7} {
		if p := prime(k); p != want {
			t.Fatalf("prime %d is %d", k, p)
		}
	}
}

// A body is a buffer over what was read, which its caller keeps.
type body struct{ bytes.Buffer }

var bodies = sync.Pool{New: func() any { return new(body) }}

func read(r io.Reader) []byte {
	all, _ := io.ReadAll(r)
	b := bodies.Get().(*body)
	b.Buffer = *bytes.NewBuffer(all)
	b.Buffer = bytes.Buffer{}
	bodies.Put(b)
	return all
}

func TestBody(t *testing.T) {
	for range 3 {
		if b := read(bytes.NewReader([]byte(text))); string(b) != text {
			t.Fatalf("%q", b)
		}
	}
}

// A logger writes to the buffer that all loggers share.
type logger struct {
	out *bytes.Buffer
	n   int
}

var (
	loggers = sync.Pool{New: func() any { return &logger{out: heap} }}
	heap    = new(bytes.Buffer)
)

func TestShared(t *testing.T) {
	a, b := loggers.Get().(*logger), loggers.Get().(*logger)
	a.out.WriteString(text)
	loggers.Put(b)
	loggers.Put(a)
	if s := heap.String(); s != text {
		t.Fatalf("%q", s)
	}
	heap.Reset()
}
