package oct003

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

// What can be read and closed may become the body of a request, which the handler closes and the server again.

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

// What puts itself, and leaves the package as an io.ReadCloser.

type decoder struct {
	b    *bytes.Reader
	pool *sync.Pool
}

func (d *decoder) Read(p []byte) (int, error) { return d.b.Read(p) }

// bad: a caller may close the io.ReadCloser twice, and the second Close puts r again.
func (d *decoder) Close() error {
	d.b.Reset(nil)
	d.pool.Put(d) // want "OCT003: d is released by each call of Close, it does not ask whether it was closed, and readers are closed twice"
	return nil
}

type decoders struct{ pool sync.Pool }

func (d *decoders) Decode(p []byte) (io.ReadCloser, error) {
	dec, ok := d.pool.Get().(*decoder)
	if !ok {
		return &decoder{bytes.NewReader(p), &d.pool}, nil
	}
	dec.b.Reset(p)
	return dec, nil
}

type askingDecoder struct {
	decoder
	closed bool
}

// ok: it asks.
func (a *askingDecoder) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	a.pool.Put(a)
	return nil
}

func (d *decoders) Asking() io.ReadCloser { return d.pool.Get().(*askingDecoder) }

type emptyDecoder struct {
	decoder
}

// ok: it has nothing to read any more, so that the second Close panics.
func (e *emptyDecoder) Close() error {
	e.b.Reset(nil)
	e.b = nil
	e.pool.Put(e)
	return nil
}

func (d *decoders) Empty() io.ReadCloser { return d.pool.Get().(*emptyDecoder) }

type innerDecoder struct {
	decoder
}

// ok: the package closes it itself.
func (i *innerDecoder) Close() error {
	i.pool.Put(i)
	return nil
}

func (d *decoders) inner() io.ReadCloser { return d.pool.Get().(*innerDecoder) }

type namedDecoder struct {
	decoder
}

// ok: its users have the type, whose comment says that Close is the end.
func (n *namedDecoder) Close() error {
	n.pool.Put(n)
	return nil
}

func (d *decoders) Named() *namedDecoder { return d.pool.Get().(*namedDecoder) }

type encoder struct {
	io.Writer
	pool *sync.Pool
}

// ok: what is written is closed by whoever writes it.
func (e *encoder) Close() error {
	e.pool.Put(e)
	return nil
}

func (d *decoders) Encode(w io.Writer) io.WriteCloser { return d.pool.Get().(*encoder) }

type swappedDecoder struct {
	decoder
	open atomic.Bool
}

// ok: the first of all calls puts.
func (s *swappedDecoder) Close() error {
	if s.open.Swap(false) {
		s.pool.Put(s)
	}
	return nil
}

func (d *decoders) Swapped() io.ReadCloser { return d.pool.Get().(*swappedDecoder) }

// A handle is a struct that is passed by value.
type bodyHandle struct {
	b    *bytes.Buffer
	name string
}

func putHandle(h bodyHandle) { texts.Put(h.b) }

type handleBody struct {
	io.Reader
	h bodyHandle
}

// bad: the field has a struct.
func (b *handleBody) Close() error {
	putHandle(b.h) // want "OCT003: b.h is released by each call of Close, it does not forget it, and bodies are closed twice"
	return nil
}

type deferringBody struct {
	io.Reader
	b *bytes.Buffer
}

// ok: a deferred literal forgets.
func (d *deferringBody) Close() error {
	defer func() { d.b = nil }()
	texts.Put(d.b)
	return nil
}
