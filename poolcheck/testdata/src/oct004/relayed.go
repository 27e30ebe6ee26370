package oct004

import (
	"bytes"
	"net"
	"oct004/relay"
	"sync"
)

var relayPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: a message that is not encoded keeps the buffer. The package relay does not know
// what its encoder does, but the rest of the function does.
func relayValue(p *relay.Peer, c net.Conn, v any) error {
	b := relayPool.Get().(*bytes.Buffer) // want "OCT004: b is not released on every path.*"
	b.Reset()
	if err := p.Encode(b, v); err != nil {
		return err
	}
	_, err := c.Write(b.Bytes())
	relayPool.Put(b)
	return err
}

// bad: no path releases, and relayValue shows that Encode only borrows.
func relayLength(p *relay.Peer, v any) (int, error) {
	b := relayPool.Get().(*bytes.Buffer) // want "OCT004: b is not released on every path.*"
	b.Reset()
	err := p.Encode(b, v)
	return b.Len(), err
}
