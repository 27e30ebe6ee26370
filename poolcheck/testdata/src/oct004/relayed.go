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

// ok: nothing shows that the sink gives the buffer back.
func relayDelivered(p *relay.Peer, v any) error {
	b := relayPool.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString("delivered")
	return p.Deliver(b)
}

// ok: the peer keeps the buffer where it fails.
func relayKept(p *relay.Peer) error {
	b := relayPool.Get().(*bytes.Buffer)
	b.Reset()
	return p.Keep(b)
}

// ok: released on every path.
func relayDeferred(p *relay.Peer, v any) (int, error) {
	b := relayPool.Get().(*bytes.Buffer)
	defer relayPool.Put(b)
	b.Reset()
	err := p.Encode(b, v)
	return b.Len(), err
}

// ok: Finish puts the buffer back, unless it is large.
func relayFinished(p *relay.Peer, v any) {
	b := relay.Pool.Get().(*bytes.Buffer)
	b.Reset()
	p.Finish(b, v)
}

// ok: the same, where something else puts into the pool.
func relayAll(p *relay.Peer, vs []any) {
	for _, v := range vs {
		b := relay.Pool.Get().(*bytes.Buffer)
		if v == nil {
			relay.Pool.Put(b)
			continue
		}
		p.Finish(b, v)
	}
}

// ok: what is not taken goes back, which says nothing of what is.
func relayOffered(p *relay.Peer, v []byte) {
	b := relayPool.Get().(*bytes.Buffer)
	b.Reset()
	b.Write(v)
	if err := p.Offer(b); err != nil {
		relayPool.Put(b)
	}
}

// bad: the sink only borrows, as the release behind a success shows.
func relayShown(p *relay.Peer, v []byte) error {
	b := relayPool.Get().(*bytes.Buffer) // want "OCT004: b is not released on every path.*"
	b.Reset()
	b.Write(v)
	if err := p.Show(b); err != nil {
		return err
	}
	relayPool.Put(b)
	return nil
}
