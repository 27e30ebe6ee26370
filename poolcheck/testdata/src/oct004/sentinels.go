package oct004

import (
	"errors"
	"sync"
)

// A facsimile is sent by the goroutine of its line.
type facsimile struct{ text []byte }

var facsimilePool = sync.Pool{New: func() any { return new(facsimile) }}

type transmission struct {
	facsimile *facsimile
	done      chan error
}

type faxLine struct {
	slot   chan transmission
	closed chan struct{}
}

var (
	faxClosed   = errors.New("line is closed") // nothing else is assigned to it
	lastRefusal error                          // refuse assigns it
)

func refuse(reason string) { lastRefusal = errors.New(reason) }

func (m *faxLine) drop(d transmission) error {
	select {
	case m.slot <- d:
		return nil
	case <-m.closed:
		return faxClosed
	}
}

// ok: the goroutine may still have the facsimile, unless drop fails.
func (m *faxLine) deliver(text []byte) error {
	l := facsimilePool.Get().(*facsimile)
	l.text = append(l.text[:0], text...)
	done := make(chan error, 1)
	if err := m.drop(transmission{l, done}); err != nil {
		facsimilePool.Put(l)
		return err
	}
	select {
	case err := <-done:
		facsimilePool.Put(l)
		return err
	case <-m.closed:
		return faxClosed
	}
}

func (m *faxLine) offer(d transmission) error {
	select {
	case m.slot <- d:
		return nil
	case <-m.closed:
		return lastRefusal
	}
}

// bad: nobody has the facsimile if the line is closed and nothing was refused before.
func (m *faxLine) hand(text []byte) error {
	l := facsimilePool.Get().(*facsimile) // want "OCT004: l is not released on every path"
	l.text = append(l.text[:0], text...)
	done := make(chan error, 1)
	if err := m.offer(transmission{l, done}); err != nil {
		facsimilePool.Put(l)
		return err
	}
	select {
	case err := <-done:
		facsimilePool.Put(l)
		return err
	case <-m.closed:
		return faxClosed
	}
}

func (m *faxLine) run() {
	for d := range m.slot {
		if len(d.facsimile.text) == 0 {
			refuse("empty page")
		}
		d.done <- nil
	}
}
