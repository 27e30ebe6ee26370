package oct005

import (
	"errors"
	"io"
	"slices"
	"sync"
)

// An entry is written, and released, by the goroutine that owns the output.
type entry struct {
	level int
	text  []byte
}

var entries = sync.Pool{New: func() any { return new(entry) }}

func newEntry(text string) *entry {
	e := entries.Get().(*entry)
	e.level, e.text = 0, append(e.text[:0], text...)
	return e
}

type journal struct {
	out     io.Writer
	queue   chan *entry
	stop    chan struct{}
	history []*entry
	written int
}

func (j *journal) run() {
	for {
		select {
		case e := <-j.queue:
			j.out.Write(e.text)
			entries.Put(e)
		case <-j.stop:
			return
		}
	}
}

func (j *journal) enqueue(e *entry) { j.queue <- e }

// bad: the length is read when the goroutine may have released the entry.
func (j *journal) log(text string) int {
	e := newEntry(text)
	j.queue <- e
	return len(e.text) // want "OCT005: e is used after it was sent to what releases it"
}

// ok: the length was read before.
func (j *journal) logged(text string) int {
	e := newEntry(text)
	n := len(e.text)
	j.queue <- e
	return n
}

var errFull = errors.New("the queue is full")

// bad: only what the queue had no room for is still the caller's.
func (j *journal) tryLog(text string) (int, error) {
	e := newEntry(text)
	select {
	case j.queue <- e:
		return len(e.text), nil // want "OCT005: e is used after it was sent to what releases it"
	default:
		entries.Put(e)
		return 0, errFull
	}
}

// ok: it is used where the queue had no room.
func (j *journal) tryLogged(text string) error {
	e := newEntry(text)
	select {
	case j.queue <- e:
		return nil
	default:
		_, err := j.out.Write(e.text)
		entries.Put(e)
		return err
	}
}

// bad: a method sends it.
func (j *journal) count(text string) {
	e := newEntry(text)
	j.enqueue(e)
	j.written += e.level // want "OCT005: e is used after it was sent to what releases it"
}

// bad: the history has it, too.
func (j *journal) remember(text string) {
	e := newEntry(text)
	j.history = append(j.history, e) // want "OCT002: e stays reachable after it was sent to what releases it"
	j.enqueue(e)
}

// A backlog takes its entries out of the list before they are released.
type backlog struct {
	mu    sync.Mutex
	queue chan *entry
	open  []*entry
}

func (b *backlog) run(w io.Writer) {
	for e := range b.queue {
		w.Write(e.text)
		b.mu.Lock()
		b.open = slices.DeleteFunc(b.open, func(x *entry) bool { return x == e })
		b.mu.Unlock()
		entries.Put(e)
	}
}

// ok: who receives it takes it out of the list.
func (b *backlog) add(text string) {
	e := newEntry(text)
	b.mu.Lock()
	b.open = append(b.open, e)
	b.mu.Unlock()
	b.queue <- e
}

// An order is answered by the goroutine and released by the caller.
type order struct {
	text []byte
	done chan error
}

var orders = sync.Pool{New: func() any { return &order{done: make(chan error, 1)} }}

type caller struct {
	out   io.Writer
	queue chan *order
}

func (c *caller) run() {
	for x := range c.queue {
		_, err := c.out.Write(x.text)
		x.done <- err
	}
}

// ok: the receiver does not release it.
func (c *caller) place(text string) error {
	x := orders.Get().(*order)
	x.text = append(x.text[:0], text...)
	c.queue <- x
	err := <-x.done
	orders.Put(x)
	return err
}

// A page has a lock, which who receives it waits for.
type page struct {
	sync.Mutex
	text []byte
}

var pages = sync.Pool{New: func() any { return new(page) }}

type press struct{ queue chan *page }

func (p *press) run(w io.Writer) {
	for x := range p.queue {
		x.Lock()
		w.Write(x.text)
		x.Unlock()
		pages.Put(x)
	}
}

// ok: the lock is held until the function returns.
func (p *press) print(text string) {
	x := pages.Get().(*page)
	x.Lock()
	defer x.Unlock()
	p.queue <- x
	x.text = append(x.text[:0], text...)
}

// A mirror may give its channel away.
type mirror struct{ queue chan *entry }

func (m *mirror) entries() <-chan *entry { return m.queue }

func (m *mirror) run(w io.Writer) {
	for e := range m.queue {
		w.Write(e.text)
		entries.Put(e)
	}
}

// ok: others receive, too, and nobody knows what they do.
func (m *mirror) log(text string) int {
	e := newEntry(text)
	m.queue <- e
	return len(e.text)
}

// bad: two goroutines get the entry, and each releases it.
func (j *journal) logTwice(other *journal, text string) {
	e := newEntry(text)
	j.queue <- e
	other.queue <- e // want "OCT005: e is used after it was sent to what releases it"
}
