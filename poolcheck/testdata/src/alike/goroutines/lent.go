package goroutines

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func text(s string) *bytes.Buffer {
	b := texts.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(s)
	return b
}

type notifier struct {
	notify func([]byte) error
	errs   chan error
	acks   chan struct{}
	last   string
}

// ok: the goroutine gets the error of a method of the buffer, and not the buffer.
func notifyError(n *notifier, r io.Reader) {
	b := text("")
	defer texts.Put(b)
	_, err := b.ReadFrom(r)
	go func(err error) { n.last = err.Error() }(err)
}

// ok: the goroutine has the variable of such an error.
func notifyErrorOf(n *notifier, r io.Reader) {
	b := text("")
	defer texts.Put(b)
	_, err := b.ReadFrom(r)
	go func() { n.last = err.Error() }()
}

// ok: the callback is waited for, by a method that waits.
func notifyAndWait(n *notifier, s string) error {
	b := text(s)
	defer texts.Put(b)
	go func() { n.errs <- n.notify(b.Bytes()) }()
	return n.wait()
}

func (n *notifier) wait() error {
	select {
	case err := <-n.errs:
		return err
	case <-time.After(time.Second):
		return errors.New("no answer")
	}
}

// ok: the two methods that take in answers call each other.
func notifyTwice(n *notifier, s string) {
	b := text(s)
	defer texts.Put(b)
	go func() { n.errs <- n.notify(b.Bytes()) }()
	n.odd(1)
}

func (n *notifier) odd(left int) {
	n.even(left - 1)
	<-n.errs
}

func (n *notifier) even(left int) {
	if left > 0 {
		n.odd(left - 1)
	}
}

// ok: the callback is waited for, by a method whose name says so.
func notifyAndJoin(w interface{ Wait() error }, notify func([]byte)) error {
	b := text("x")
	defer texts.Put(b)
	go notify(b.Bytes())
	return w.Wait()
}

// A crew runs functions beside each other.
type crew struct {
	wg  sync.WaitGroup
	err error
}

func (c *crew) run(f func() error) {
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		if err := f(); err != nil {
			c.err = err
		}
	}()
}

func (c *crew) end() error {
	c.wg.Wait()
	return c.err
}

// ok: all callbacks have ended.
func notifyAll(all []func([]byte) error) error {
	b := text("x")
	defer texts.Put(b)
	var c crew
	for _, f := range all {
		c.run(func() error { return f(b.Bytes()) })
	}
	return c.end()
}

// ok: the pipe is read to its end.
func upload(up func(io.Reader) error) error {
	b := text("x")
	pr, pw := io.Pipe()
	go func() {
		_, err := pw.Write(b.Bytes())
		pw.CloseWithError(err)
	}()
	err := up(pr)
	texts.Put(b)
	return err
}

// A letter owns its text.
type letter struct {
	text []byte
	to   string
}

var letters = sync.Pool{New: func() any { return new(letter) }}

func write(s string) *letter {
	l := letters.Get().(*letter)
	l.text = append(l.text[:0], s...)
	return l
}

type link struct {
	conn net.Conn
	errs chan error
}

func (l *link) writeBeside(p []byte) {
	go func() {
		_, err := l.conn.Write(p)
		l.errs <- err
	}()
}
