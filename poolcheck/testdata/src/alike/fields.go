package alike

import (
	"bytes"
	"io"
	"sync"
)

// A struct is passed by value, and one of its fields has pooled memory.

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type passing struct {
	io.Reader
	first, second *bytes.Buffer
	body          io.ReadCloser
	name          string
	pool          *sync.Pool
}

// ok: two fields, two buffers.
func releaseBoth(p passing) {
	bodies.Put(p.first)
	bodies.Put(p.second)
}

// ok: the pool is a field, and used twice.
func releaseOwn(p passing) {
	p.pool.Put(p.first)
	p.pool.Put(p.second)
}

func putBody(b *bytes.Buffer) { bodies.Put(b) }

var passings sync.Pool

// ok: a field goes back, and the struct to another pool.
func releaseAll(p passing) {
	putBody(p.first)
	passings.Put(p)
}
