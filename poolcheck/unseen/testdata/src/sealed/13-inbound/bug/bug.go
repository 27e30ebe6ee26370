// Package bug takes the messages that are published to a stream, and stores
// them one by one.
package bug

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

var (
	errFull   = errors.New("queue is full")
	errClosed = errors.New("queue is closed")
)

// An entry is a message on its way to the stream.
type entry struct {
	subject string
	reply   string
	header  []byte
	body    []byte
	origin  *source
}

type source struct {
	name string
	lag  uint64
}

var entries = sync.Pool{New: func() any { return &entry{} }}

func (e *entry) recycle() {
	e.subject, e.reply, e.header, e.body, e.origin = "", "", nil, nil, nil
	entries.Put(e)
}

// A queue has a limit of how many elements wait in it, and one of their size.
type queue[T any] struct {
	mu       sync.Mutex
	ready    *sync.Cond
	waiting  []T
	size     int
	closed   bool
	maxLen   int
	maxSize  int
	sizeOf   func(T) int
	exceeded int
}

func newQueue[T any](maxLen, maxSize int, sizeOf func(T) int) *queue[T] {
	q := &queue[T]{maxLen: maxLen, maxSize: maxSize, sizeOf: sizeOf}
	q.ready = sync.NewCond(&q.mu)
	return q
}

// push appends an element and returns how many there are, or an error if it
// did not append it.
func (q *queue[T]) push(v T) (int, error) {
	n := q.sizeOf(v)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0, errClosed
	}
	if len(q.waiting) >= q.maxLen || q.size+n > q.maxSize {
		q.exceeded++
		return len(q.waiting), errFull
	}
	q.waiting = append(q.waiting, v)
	q.size += n
	q.ready.Signal()
	return len(q.waiting), nil
}

// pop waits for elements and returns all of them, or none when the queue is
// closed and empty.
func (q *queue[T]) pop() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.closed {
		q.ready.Wait()
	}
	all := q.waiting
	q.waiting, q.size = nil, 0
	return all
}

func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Broadcast()
}

type status struct {
	Stream string `json:"stream"`
	Seq    uint64 `json:"seq,omitempty"`
	Code   int    `json:"code,omitempty"`
	Text   string `json:"text,omitempty"`
}

type stream struct {
	name    string
	inbound *queue[*entry]
	respond func(subject string, body []byte)
	warn    func(text string)

	mu     sync.Mutex
	seq    uint64
	stored [][]byte
}

func newStream(name string, respond func(string, []byte), warn func(string)) *stream {
	return &stream{
		name: name,
		inbound: newQueue(10_000, 128<<20, func(e *entry) int {
			return len(e.subject) + len(e.reply) + len(e.header) + len(e.body)
		}),
		respond: respond,
		warn:    warn,
	}
}

// publish is called for each message of a client. The bytes are those of the
// connection's read buffer.
func (s *stream) publish(subject, reply string, header, body []byte) {
	s.enqueue(subject, reply, bytes.Clone(header), bytes.Clone(body), nil)
}

// mirror is called for each message of another stream.
func (s *stream) mirror(from *source, subject string, header, body []byte) {
	s.enqueue(subject, "", bytes.Clone(header), bytes.Clone(body), from)
}

func (s *stream) enqueue(subject, reply string, header, body []byte, from *source) {
	e := entries.Get().(*entry)
	e.subject, e.reply, e.header, e.body, e.origin = subject, reply, header, body, from
	if _, err := s.inbound.push(e); err != nil {
		s.warn(fmt.Sprintf("%s: message on %s is dropped: %v", s.name, subject, err))
		if reply != "" {
			s.answer(reply, status{Stream: s.name, Code: 429, Text: err.Error()})
		}
	}
}

func (s *stream) answer(reply string, st status) {
	text, err := json.Marshal(st)
	if err != nil {
		return
	}
	s.respond(reply, text)
}

// run stores messages until the stream is stopped.
func (s *stream) run() {
	for {
		all := s.inbound.pop()
		if len(all) == 0 {
			return
		}
		for _, e := range all {
			s.process(e)
			e.recycle()
		}
	}
}

func (s *stream) process(e *entry) {
	s.mu.Lock()
	s.seq++
	seq := s.seq
	record := make([]byte, 0, len(e.subject)+len(e.header)+len(e.body)+2)
	record = append(append(record, e.subject...), '\n')
	record = append(append(record, e.header...), '\n')
	s.stored = append(s.stored, append(record, e.body...))
	s.mu.Unlock()
	if e.origin != nil && e.origin.lag > 0 {
		e.origin.lag--
	}
	if e.reply != "" {
		s.answer(e.reply, status{Stream: s.name, Seq: seq})
	}
}

func (s *stream) stop() { s.inbound.close() }
