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
