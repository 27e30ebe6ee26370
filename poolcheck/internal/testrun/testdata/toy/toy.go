// Package toy misuses pools in several ways, each shown by one test.
package toy

import (
	"bytes"
	"strings"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Upper returns bytes of a buffer that it has put back.
func Upper(s string) []byte {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(strings.ToUpper(s))
	buffers.Put(b)
	return b.Bytes()
}

type conn struct {
	mu     sync.Mutex
	closed bool
	buf    []byte
}

var conns = sync.Pool{New: func() any { return &conn{buf: make([]byte, 0, 64)} }}

// Twice puts a conn back on its error path and at its end.
func Twice(fail bool) {
	c := conns.Get().(*conn)
	defer conns.Put(c)
	if fail {
		conns.Put(c)
	}
}

// Locked is correct: it puts a conn back under its own lock.
func Locked() {
	c := conns.Get().(*conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	conns.Put(c)
}

// Line returns a slice of a conn's buffer, which belongs to the conn.
func Line(s string) []byte {
	c := lines.Get().(*conn)
	c.buf = append(c.buf[:0], s...)
	defer lines.Put(c)
	return c.buf
}

var lines = sync.Pool{New: func() any { return &conn{buf: make([]byte, 0, 64)} }}

// Carried writes to a slice that it has put, by the pointer that had brought it.
func Carried() {
	p := carried.Get().(*[]byte)
	b := *p
	pointers.Put(p)
	p = pointers.Get().(*[]byte)
	*p = b
	carried.Put(p)
	b[0] = 1
}

var carried, pointers = sync.Pool{New: func() any { b := make([]byte, 64); return &b }}, sync.Pool{New: func() any { return new([]byte) }}
