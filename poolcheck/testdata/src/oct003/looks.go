package oct003

import (
	"io"
	"sync"
)

// An allocator is a pool by its looks.
type allocator interface {
	Allocate(n int) []byte
	Free([]byte)
}

// bad: the error path frees, and the deferred call does it again.
func freedTwice(a allocator, r io.Reader) error {
	b := a.Allocate(1024)
	defer a.Free(b) // want "OCT003: b is released twice"
	if _, err := io.ReadFull(r, b); err != nil {
		a.Free(b)
		return err
	}
	return nil
}

// ok: one of two frees.
func freedOnce(a allocator, r io.Reader) error {
	b := a.Allocate(1024)
	if _, err := io.ReadFull(r, b); err != nil {
		a.Free(b)
		return err
	}
	a.Free(b)
	return nil
}

// leaky is a list of idle buffers.
var leaky = make(chan []byte, 16)

func takeLeaky() []byte {
	select {
	case b := <-leaky:
		return b
	default:
		return make([]byte, 512)
	}
}

func giveLeaky(b []byte) {
	select {
	case leaky <- b[:cap(b)]:
	default:
	}
}

// bad: two users get the buffer.
func leakyTwice(r io.Reader) error {
	b := takeLeaky()
	defer giveLeaky(b) // want "OCT003: b is released twice"
	if _, err := io.ReadFull(r, b); err != nil {
		giveLeaky(b)
		return err
	}
	return nil
}

// ok: one that takes and gives in turn.
func leakyOnce(r io.Reader) error {
	b := takeLeaky()
	defer giveLeaky(b)
	_, err := io.ReadFull(r, b)
	return err
}

// A checker is called when what it waits for has come.
type checker interface{ check(end int) error }

type checkers struct{ waiting []checker }

func (c *checkers) push(x checker) { c.waiting = append(c.waiting, x) }

func (c *checkers) pop(end int) error {
	x := c.waiting[len(c.waiting)-1]
	c.waiting = c.waiting[:len(c.waiting)-1]
	return x.check(end)
}

type lengthCheck struct{ scratch []byte }

func (l *lengthCheck) check(end int) error { return nil }

var lengthChecks = sync.Pool{New: func() any { return new(lengthCheck) }}

// ok: pop hands out no checker, and push takes none back.
func checkLength(end int) error {
	c := new(checkers)
	l := lengthChecks.Get().(*lengthCheck)
	defer lengthChecks.Put(l)
	c.push(l)
	return c.pop(end)
}
