package oct003

import (
	"bytes"
	"io"
	"sync"
)

type outputs struct {
	mu  sync.Mutex
	all []io.Writer
}

func (o *outputs) locked(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

func (o *outputs) try(f func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return f()
}

// bad: the literal releases what the defer releases, too, if a write fails.
func (o *outputs) tell(msg string) {
	b := bufPool.Get().(*bytes.Buffer)
	defer bufPool.Put(b) // want "OCT003: b is released twice"
	o.locked(func() {
		b.WriteString(msg)
		for _, w := range o.all {
			if _, err := w.Write(b.Bytes()); err != nil {
				bufPool.Put(b)
				return
			}
		}
	})
}

// ok: the literal leaves the release to the defer.
func (o *outputs) tellAll(msg string) {
	b := bufPool.Get().(*bytes.Buffer)
	defer bufPool.Put(b)
	o.locked(func() {
		b.WriteString(msg)
		for _, w := range o.all {
			if _, err := w.Write(b.Bytes()); err != nil {
				return
			}
		}
	})
}

// ok: a flag tells whether the literal has released it.
func (o *outputs) tellOnce(msg string) {
	b := bufPool.Get().(*bytes.Buffer)
	done := false
	o.locked(func() {
		b.WriteString(msg)
		if _, err := o.all[0].Write(b.Bytes()); err != nil {
			bufPool.Put(b)
			done = true
		}
	})
	if !done {
		bufPool.Put(b)
	}
}

// ok: so does the error.
func (o *outputs) tryOnce(msg string) error {
	b := bufPool.Get().(*bytes.Buffer)
	err := o.try(func() error {
		b.WriteString(msg)
		_, err := o.all[0].Write(b.Bytes())
		if err != nil {
			bufPool.Put(b)
		}
		return err
	})
	if err != nil {
		return err
	}
	bufPool.Put(b)
	return nil
}

// bad: it does, but the caller does not look at it.
func (o *outputs) tryTwice(msg string) error {
	b := bufPool.Get().(*bytes.Buffer)
	err := o.try(func() error {
		b.WriteString(msg)
		_, err := o.all[0].Write(b.Bytes())
		if err != nil {
			bufPool.Put(b)
		}
		return err
	})
	bufPool.Put(b) // want "OCT003: b is released twice"
	return err
}
