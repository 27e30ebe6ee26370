// Package bug asks a name server over UDP.
package bug

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
)

const size = 2 << 10

var pool = sync.Pool{New: func() any { return make([]byte, size) }}

// A buffer is a part of pooled bytes.
type buffer struct {
	v          []byte
	start, end int
}

func newBuffer() *buffer { return &buffer{v: pool.Get().([]byte)} }

func (b *buffer) Release() {
	if b == nil || b.v == nil {
		return
	}
	pool.Put(b.v)
	b.v = nil
	b.start, b.end = 0, 0
}

func (b *buffer) Bytes() []byte { return b.v[b.start:b.end] }

// A source writes into a slice and returns how much it wrote.
type source func(p []byte) (int, error)

func (b *buffer) fill(s source) error {
	n, err := s(b.v)
	b.start, b.end = 0, n
	return err
}

const (
	typeA    = 1
	typeAAAA = 28
)

type query struct {
	id    uint16
	name  string
	types []uint16
}

var errName = errors.New("bad name")

// pack writes the query into p, which has room for two questions.
func (q *query) pack(p []byte) ([]byte, error) {
	if len(q.name) > 255 {
		return nil, errName
	}
	p = binary.BigEndian.AppendUint16(p[:0], q.id)
	for _, t := range q.types {
		p = append(append(p, byte(len(q.name))), q.name...)
		p = binary.BigEndian.AppendUint16(p, t)
		p = append(p, 0, 1)
	}
	return p, nil
}

// A transport sends payloads, which it releases.
type transport interface {
	Send(ctx context.Context, address string, payload *buffer)
}

type udpTransport struct {
	send func(address string, p []byte) error
}

func (d *udpTransport) Send(ctx context.Context, address string, payload *buffer) {
	defer payload.Release()
	if ctx.Err() == nil {
		d.send(address, payload.Bytes())
	}
}

type client struct {
	address string
	last    atomic.Uint32
	udp     transport
}

func newClient(address string, send func(address string, p []byte) error) *client {
	return &client{address: address, udp: &udpTransport{send}}
}

func (c *client) nextID() uint16 {
	return uint16(c.last.Add(1))
}

func (c *client) queries(name string) []*query {
	return []*query{
		{c.nextID(), name, []uint16{typeA}},
		{c.nextID(), name, []uint16{typeAAAA}},
	}
}

func toBytes(q *query) (*buffer, error) {
	b := newBuffer()
	if err := b.fill(func(p []byte) (int, error) {
		written, err := q.pack(p)
		return len(written), err
	}); err != nil {
		return nil, err
	}
	return b, nil
}

func (c *client) ask(ctx context.Context, name string) error {
	for _, q := range c.queries(name) {
		b, err := toBytes(q)
		if err != nil {
			return err
		}
		c.udp.Send(ctx, c.address, b)
	}
	return nil
}
