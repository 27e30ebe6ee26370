package oct003

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

// What can be read and closed may become the body of a request, which the handler closes and the server again.

var small, large sync.Pool

type inflated struct {
	b     *bytes.Buffer
	small bool
}

func (f *inflated) Read(p []byte) (int, error) { return f.b.Read(p) }

// bad: it is the same each time which pool it is.
func (f *inflated) Close() error {
	if f.small {
		small.Put(f.b) // want "OCT003: f.b is released by each call of Close, it does not forget it, and bodies are closed twice"
	} else {
		large.Put(f.b) // want "OCT003: f.b is released by each call of Close, it does not forget it, and bodies are closed twice"
	}
	return nil
}

type embeddedBody struct{ *bytes.Reader }

// bad: the reader is embedded.
func (b *embeddedBody) Close() error {
	byteReaders.Put(b.Reader) // want "OCT003: b.Reader is released by each call of Close, it does not forget it, and bodies are closed twice"
	return nil
}

type checkedBody struct {
	io.Reader
	b *bytes.Buffer
}

// bad: that there is one does not tell whether it was put.
func (c *checkedBody) Close() error {
	if c.b != nil {
		texts.Put(c.b) // want "OCT003: c.b is released by each call of Close, it does not forget it, and bodies are closed twice"
	}
	return nil
}

type forgetfulBody struct {
	io.Reader
	b *bytes.Buffer
}

// ok: it forgets.
func (f *forgetfulBody) Close() error {
	if f.b != nil {
		texts.Put(f.b)
		f.b = nil
	}
	return nil
}

type flaggedBody struct {
	io.Reader
	b    *bytes.Buffer
	done bool
}

// ok: a flag.
func (f *flaggedBody) Close() error {
	if !f.done {
		f.done = true
		texts.Put(f.b)
	}
	return nil
}

type atomicBody struct {
	io.Reader
	b    *bytes.Buffer
	done atomic.Bool
}

// ok: a flag of several goroutines.
func (a *atomicBody) Close() error {
	if a.done.CompareAndSwap(false, true) {
		texts.Put(a.b)
	}
	return nil
}

type onceBody struct {
	io.Reader
	b    *bytes.Buffer
	once sync.Once
}

// ok: once.
func (o *onceBody) Close() error {
	o.once.Do(func() { texts.Put(o.b) })
	return nil
}

type pooledBody struct {
	io.Reader
	pool *sync.Pool
}

// ok: the body itself is put; its user calls Close once, as after any release.
func (p *pooledBody) Close() error {
	p.pool.Put(p)
	return nil
}
