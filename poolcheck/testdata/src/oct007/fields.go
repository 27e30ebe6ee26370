package oct007

import (
	"bytes"
	"io"
	"sync"
)

type exchange struct {
	requests, answers sync.Pool
	small, large      sync.Pool
}

func (x *exchange) request() *bytes.Buffer {
	if b, ok := x.requests.Get().(*bytes.Buffer); ok {
		return b
	}
	return new(bytes.Buffer)
}

func (x *exchange) answer() *bytes.Buffer {
	if b, ok := x.answers.Get().(*bytes.Buffer); ok {
		return b
	}
	return new(bytes.Buffer)
}

// bad: a buffer for requests goes to the answers.
func (x *exchange) ask(w io.Writer, p []byte) error {
	b := x.request()
	defer x.answers.Put(b) // want "OCT007: b belongs to another pool"
	b.Reset()
	b.Write(p)
	_, err := b.WriteTo(w)
	return err
}

// ok: each goes back to where it came from.
func (x *exchange) both(w io.Writer, p []byte) error {
	b, c := x.request(), x.answer()
	defer x.requests.Put(b)
	defer x.answers.Put(c)
	b.Reset()
	c.Reset()
	b.Write(p)
	c.Write(p)
	if _, err := b.WriteTo(w); err != nil {
		return err
	}
	_, err := c.WriteTo(w)
	return err
}

// ok: the two may be the same.
func (x *exchange) move(w io.Writer, y *exchange, p []byte) error {
	b := x.request()
	defer y.requests.Put(b)
	b.Reset()
	b.Write(p)
	_, err := b.WriteTo(w)
	return err
}

// ok: the size tells which pool it came from.
func (x *exchange) bySize(r io.Reader, n int) error {
	var b *[]byte
	if n > 1024 {
		b = x.large.Get().(*[]byte)
	} else {
		b = x.small.Get().(*[]byte)
	}
	_, err := io.ReadFull(r, (*b)[:n])
	if cap(*b) > 1024 {
		x.large.Put(b)
	} else {
		x.small.Put(b)
	}
	return err
}

// ok: the number that decided the first time decides again.
func (x *exchange) byNumber(r io.Reader, n int) error {
	var b *[]byte
	if n > 1024 {
		b = x.large.Get().(*[]byte)
	} else {
		b = x.small.Get().(*[]byte)
	}
	_, err := io.ReadFull(r, (*b)[:n])
	if n > 1024 {
		x.large.Put(b)
	} else {
		x.small.Put(b)
	}
	return err
}

// A purse keeps items, and apart from them the boxes that they went in.
type purse[T any] struct{ items, boxes sync.Pool }

// ok: the box is kept for an item to come.
func (p *purse[T]) get() (item T) {
	box, ok := p.items.Get().(*T)
	if !ok {
		return item
	}
	item = *box
	p.boxes.Put(box)
	return item
}

// ok: a box that has come free becomes that of the item.
func (p *purse[T]) put(item T) {
	box, ok := p.boxes.Get().(*T)
	if !ok {
		box = new(T)
	}
	*box = item
	p.items.Put(box)
}
