// Package relay hands buffers on to code that it does not know.
package relay

import (
	"bytes"
	"errors"
	"sync"
)

// An Encoder writes values in some form.
type Encoder interface {
	Encode(b *bytes.Buffer, v any) error
}

// A Sink takes buffers over.
type Sink interface {
	Push(b *bytes.Buffer) error
}

type Peer struct {
	enc  Encoder
	sink Sink
	last *bytes.Buffer
	full bool
}

func New(enc Encoder, sink Sink) *Peer { return &Peer{enc: enc, sink: sink} }

// Encode appends v to b.
func (p *Peer) Encode(b *bytes.Buffer, v any) error {
	b.WriteByte('v')
	return p.enc.Encode(b, v)
}

// Deliver passes b to the sink.
func (p *Peer) Deliver(b *bytes.Buffer) error { return p.sink.Push(b) }

var ErrFull = errors.New("full")

// Offer passes b to the sink, if there is room.
func (p *Peer) Offer(b *bytes.Buffer) error {
	if p.full {
		return ErrFull
	}
	p.sink.Push(b)
	return nil
}

// Show does the same as Offer, for a sink that only borrows.
func (p *Peer) Show(b *bytes.Buffer) error {
	if p.full {
		return ErrFull
	}
	p.sink.Push(b)
	return nil
}

// Keep holds on to b, and shows it to the encoder.
func (p *Peer) Keep(b *bytes.Buffer) error {
	p.last = b
	return p.enc.Encode(b, nil)
}

var Pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Finish encodes v and puts b back, unless b is large.
func (p *Peer) Finish(b *bytes.Buffer, v any) {
	p.enc.Encode(b, v)
	if b.Cap() < 1<<16 {
		Pool.Put(b)
	}
}
