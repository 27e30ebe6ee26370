// Package fixed is a pipe of lists of buffers.
package fixed

import (
	"errors"
	"io"
	"sync"
	"time"
)

const bufferSize = 2 << 10

var arrays = sync.Pool{New: func() any { return make([]byte, bufferSize) }}

type buffer struct {
	v          []byte
	start, end int
}

func newBuffer() *buffer { return &buffer{v: arrays.Get().([]byte)} }

func (b *buffer) Len() int {
	if b == nil {
		return 0
	}
	return b.end - b.start
}

func (b *buffer) ReadFrom(r io.Reader) (int64, error) {
	n, err := r.Read(b.v[b.end:])
	b.end += n
	return int64(n), err
}

func (b *buffer) Release() {
	if b == nil || b.v == nil {
		return
	}
	arrays.Put(b.v)
	b.v = nil
	b.start, b.end = 0, 0
}

// A multiBuffer is content in several buffers.
type multiBuffer []*buffer

func (mb multiBuffer) Len() int {
	n := 0
	for _, b := range mb {
		n += b.Len()
	}
	return n
}

func (mb multiBuffer) IsEmpty() bool { return mb.Len() == 0 }

func (mb *multiBuffer) AppendMulti(more multiBuffer) { *mb = append(*mb, more...) }

func (mb *multiBuffer) Release() {
	for i, b := range *mb {
		b.Release()
		(*mb)[i] = nil
	}
	*mb = nil
}

type notifier struct{ c chan struct{} }

func newNotifier() notifier { return notifier{make(chan struct{}, 1)} }

func (n notifier) Signal() {
	select {
	case n.c <- struct{}{}:
	default:
	}
}

type state byte

const (
	open state = iota
	closed
	failed
)

var (
	errFull    = errors.New("pipe full")
	errTimeout = errors.New("timeout")
)

type pipe struct {
	mu       sync.Mutex
	data     multiBuffer
	canRead  notifier
	canWrite notifier
	done     chan struct{}
	limit    int // negative if there is none
	state    state
}

func newPipe(limit int) *pipe {
	return &pipe{canRead: newNotifier(), canWrite: newNotifier(), done: make(chan struct{}), limit: limit}
}

func (p *pipe) check(forRead bool) error {
	switch p.state {
	case open:
		if !forRead && p.limit >= 0 && p.data.Len() > p.limit {
			return errFull
		}
		return nil
	case closed:
		if !forRead {
			return io.ErrClosedPipe
		}
		if !p.data.IsEmpty() {
			return nil
		}
		return io.EOF
	default:
		return io.ErrClosedPipe
	}
}

func (p *pipe) read() (multiBuffer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.check(true); err != nil {
		return nil, err
	}
	data := p.data
	p.data = nil
	return data, nil
}

// ReadMulti returns what is in the pipe. The caller releases it.
func (p *pipe) ReadMulti(timeout time.Duration) (multiBuffer, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		data, err := p.read()
		if data != nil || err != nil {
			p.canWrite.Signal()
			return data, err
		}
		select {
		case <-p.canRead.c:
		case <-p.done:
		case <-timer.C:
			return nil, errTimeout
		}
	}
}

func (p *pipe) write(mb multiBuffer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.check(false); err != nil {
		return err
	}
	p.data.AppendMulti(mb)
	return nil
}

// WriteMulti takes mb, also when it fails.
func (p *pipe) WriteMulti(mb multiBuffer) error {
	if mb.IsEmpty() {
		mb.Release()
		return nil
	}
	for {
		err := p.write(mb)
		if err == nil {
			p.canRead.Signal()
			return nil
		}
		if err != errFull {
			mb.Release()
			p.canRead.Signal()
			return err
		}
		select {
		case <-p.canWrite.c:
		case <-p.done:
			mb.Release()
			return io.ErrClosedPipe
		}
	}
}

// Close lets what was written be read.
func (p *pipe) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == open {
		p.state = closed
		close(p.done)
	}
}

func (p *pipe) CloseError() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == open {
		p.state = failed
		close(p.done)
		p.data.Release()
	}
}

// copyInto writes to the pipe what r has.
func copyInto(p *pipe, r io.Reader) error {
	defer p.Close()
	for {
		b := newBuffer()
		_, err := b.ReadFrom(r)
		if werr := p.WriteMulti(multiBuffer{b}); werr != nil {
			return werr
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
