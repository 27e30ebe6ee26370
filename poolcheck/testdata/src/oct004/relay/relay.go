// Package relay hands buffers on to code that it does not know.
package relay

import "bytes"

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

// Encode appends v to b.
func (p *Peer) Encode(b *bytes.Buffer, v any) error {
	b.WriteByte('v')
	return p.enc.Encode(b, v)
}
