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

// ok: the body is another field.
func closeBoth(p passing) error {
	if p.first != nil {
		bodies.Put(p.first)
	}
	return p.body.Close()
}

// ok: two fields, two buffers.
func releaseBoth(p passing) {
	bodies.Put(p.first)
	bodies.Put(p.second)
}

// ok: the pool is a field, too, and used twice.
func releaseOwn(p passing) {
	p.pool.Put(p.first)
	p.pool.Put(p.second)
}

// ok: the name is returned.
func releaseNamed(p passing) string {
	putBody(p.first)
	return p.name
}

func putBody(b *bytes.Buffer) { bodies.Put(b) }

// ok: the reader is returned.
func unwrapBody(p passing) io.Reader {
	bodies.Put(p.second)
	return p.Reader
}

// ok: another field is kept.
func (p *passing) keep(q passing) {
	bodies.Put(q.first)
	p.second = q.second
}

var passings sync.Pool

// ok: a field goes back, and the struct to another pool.
func releaseAll(p passing) {
	putBody(p.first)
	passings.Put(p)
}
