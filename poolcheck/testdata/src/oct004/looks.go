package oct004

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
)

// A bufferPool is a pool by its looks: it hands out what it takes back.
type bufferPool interface {
	Get() *bytes.Buffer
	Put(*bytes.Buffer)
}

type poolEncoder struct {
	bodies bufferPool
	w      io.Writer
}

// bad: the error path forgets what the interface handed out.
func (e *poolEncoder) encode(v any) error {
	b := e.bodies.Get() // want "OCT004: b is not released on every path"
	b.Reset()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return err
	}
	_, err := e.w.Write(b.Bytes())
	e.bodies.Put(b)
	return err
}

// ok: a deferred put reaches every path.
func (e *poolEncoder) encodeRight(v any) error {
	b := e.bodies.Get()
	defer e.bodies.Put(b)
	b.Reset()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return err
	}
	_, err := e.w.Write(b.Bytes())
	return err
}

// A chunkPool may fail to hand out.
type chunkPool interface {
	Get(size int) (*[]byte, error)
	Put(*[]byte)
}

// bad: the read that fails loses the chunk.
func chunkSum(p chunkPool, r io.Reader, n int) (uint32, error) {
	b, err := p.Get(n) // want "OCT004: b is not released on every path"
	if err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(r, *b); err != nil {
		return 0, err
	}
	sum := crc32.ChecksumIEEE(*b)
	p.Put(b)
	return sum, nil
}

// ok: where the pool fails there is nothing to put back.
func chunkSumRight(p chunkPool, r io.Reader, n int) (uint32, error) {
	b, err := p.Get(n)
	if err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(r, *b); err != nil {
		p.Put(b)
		return 0, err
	}
	sum := crc32.ChecksumIEEE(*b)
	p.Put(b)
	return sum, nil
}

// A decoder is given the two functions of a pool.
type decoder struct {
	allocBuffer func(n int) []byte
	freeBuffer  func(b []byte)
}

// bad: the same with functions in fields.
func (d *decoder) decode(r io.Reader, n int) (string, error) {
	b := d.allocBuffer(n) // want "OCT004: b is not released on every path"
	if _, err := io.ReadFull(r, b); err != nil {
		return "", err
	}
	s := string(b)
	d.freeBuffer(b)
	return s, nil
}

// An idle list is a channel of buffers that nobody uses.
type idle[T any] struct {
	ch   chan T
	made func() T
}

func (p *idle[T]) next() T {
	select {
	case v := <-p.ch:
		return v
	default:
		return p.made()
	}
}

func (p *idle[T]) done(v T) {
	select {
	case p.ch <- v:
	default:
	}
}

// bad: the error path of a list of idle buffers.
func viaChannel(p *idle[*bytes.Buffer], v any, w io.Writer) error {
	b := p.next() // want "OCT004: b is not released on every path"
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	p.done(b)
	return err
}

// A stack keeps idle buffers in a slice.
type stack struct{ idle [][]byte }

func (s *stack) pop() []byte {
	if n := len(s.idle); n > 0 {
		b := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return b
	}
	return make([]byte, 1024)
}

func (s *stack) push(b []byte) { s.idle = append(s.idle, b) }

// bad: the same with a slice.
func viaSlice(s *stack, r io.Reader) (byte, error) {
	b := s.pop() // want "OCT004: b is not released on every path"
	if _, err := r.Read(b); err != nil {
		return 0, err
	}
	first := b[0]
	s.push(b)
	return first, nil
}

// A mailbox is a queue: what is taken from it does not go back.
type mailbox struct{ ch chan []byte }

func (m *mailbox) take() []byte { return <-m.ch }

func (m *mailbox) post(b []byte) { m.ch <- b }

// ok: a message that is bad is dropped, others are posted on.
func forward(from, to *mailbox) error {
	b := from.take()
	if len(b) == 0 {
		return errors.New("empty")
	}
	to.post(b)
	return nil
}

// A register holds one value.
type register interface {
	Name() string
	Get() []byte
	Put([]byte)
}

// ok: what a register holds is not taken out of it.
func increment(r register) error {
	b := r.Get()
	if len(b) == 0 {
		return errors.New("empty")
	}
	b[0]++
	r.Put(b)
	return nil
}

// A pageList is a list of idle memory of a type of its own.
type page [4096]byte

type pageList struct{ idle []*page }

func (s *pageList) pop() *page {
	if n := len(s.idle); n > 0 {
		p := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return p
	}
	return new(page)
}

func (s *pageList) push(p *page) { s.idle = append(s.idle, p) }

// bad: nothing in the function gives back what the list has handed out.
func firstByte(s *pageList, r io.Reader) (byte, error) {
	p := s.pop() // want "OCT004: p is not released on every path"
	if _, err := io.ReadFull(r, p[:]); err != nil {
		return 0, err
	}
	return p[0], nil
}

// ok: this does.
func sumPage(s *pageList, r io.Reader) (uint32, error) {
	p := s.pop()
	defer s.push(p)
	_, err := io.ReadFull(r, p[:])
	return crc32.ChecksumIEEE(p[:]), err
}
