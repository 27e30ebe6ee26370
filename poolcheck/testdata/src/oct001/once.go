package oct001

import (
	"bytes"
	"sync"
)

// A sink goes back when it is closed for the first time.
type sink struct {
	bytes.Buffer
	once sync.Once
	mu   sync.Mutex
}

var sinks = sync.Pool{New: func() any { return new(sink) }}

// bad: so is the lock.
func (s *sink) closeLocked() {
	s.mu.Lock()
	sinks.Put(s)
	s.mu.Unlock() // want "OCT001: .* is used after its release"
}

// A handle is not pooled itself.
type handle struct {
	sink *sink
	once sync.Once
}

// ok: the Once is the handle's.
func (h *handle) close() {
	h.once.Do(func() {
		sinks.Put(h.sink)
		h.sink = nil
	})
}

// ok: a flag tells, and is read before.
type flagged struct {
	data   []byte
	closed bool
}

var flaggeds = sync.Pool{New: func() any { return new(flagged) }}

func (f *flagged) close() {
	if f.closed {
		return
	}
	f.closed = true
	f.data = f.data[:0]
	flaggeds.Put(f)
}
