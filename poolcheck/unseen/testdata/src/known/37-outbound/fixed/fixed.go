// Package fixed gives the packets of a network interface to those who watch them.
package fixed

import (
	"sync"
	"sync/atomic"
)

type packetKind int

const (
	toHost packetKind = iota
	outgoing
)

// A packet is counted and pooled.
type packet struct {
	refs     atomic.Int64
	data     []byte
	link     int // bytes of the link header
	protocol uint16
	kind     packetKind
}

var packetPool = sync.Pool{New: func() any { return new(packet) }}

// newPacket copies the data and leaves room in front of it.
func newPacket(reserve int, data []byte) *packet {
	p := packetPool.Get().(*packet)
	p.reset()
	p.data = append(p.data, make([]byte, reserve)...)
	p.data = append(p.data, data...)
	p.link = reserve
	p.refs.Store(1)
	return p
}

func (p *packet) reset() {
	p.data = p.data[:0]
	p.link, p.protocol, p.kind = 0, 0, toHost
}

// clone returns a packet with a copy of the data.
func (p *packet) clone() *packet {
	c := newPacket(0, p.data)
	c.link, c.protocol, c.kind = p.link, p.protocol, p.kind
	return c
}

func (p *packet) IncRef() { p.refs.Add(1) }

func (p *packet) DecRef() {
	if p.refs.Add(-1) == 0 {
		packetPool.Put(p)
	}
}

func (p *packet) payload() []byte { return p.data[p.link:] }

// A watcher that keeps a packet takes a reference.
type watcher interface {
	HandlePacket(nic int, protocol uint16, p *packet)
}

type watchers struct {
	mu   sync.RWMutex
	list []watcher
}

func (ws *watchers) forEach(f func(watcher)) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	for _, w := range ws.list {
		f(w)
	}
}

const allProtocols = 3

type linkEndpoint interface {
	headerLength() int
	addHeader(protocol uint16, p *packet)
}

type networkEndpoint interface{ HandlePacket(p *packet) }

type nic struct {
	id       int
	enabled  atomic.Bool
	link     linkEndpoint
	networks map[uint16]networkEndpoint
	mu       sync.RWMutex
	watching map[uint16]*watchers
	unknown  atomic.Int64
}

// deliver handles a packet that came in.
func (n *nic) deliver(protocol uint16, p *packet) {
	if !n.enabled.Load() {
		return
	}
	network, ok := n.networks[protocol]
	if !ok {
		n.unknown.Add(1)
		return
	}

	// The watchers get the whole packet. It is copied for the first of them.
	var whole *packet
	defer func() {
		if whole != nil {
			whole.DecRef()
		}
	}()
	deliverTo := func(w watcher) {
		if whole == nil {
			whole = newPacket(0, p.data)
			whole.link = p.link
			whole.kind = toHost
		}
		c := whole.clone()
		defer c.DecRef()
		w.HandlePacket(n.id, protocol, c)
	}

	n.mu.RLock()
	some, someOK := n.watching[protocol]
	all, allOK := n.watching[allProtocols]
	n.mu.RUnlock()
	if someOK {
		some.forEach(deliverTo)
	}
	if allOK {
		all.forEach(deliverTo)
	}
	network.HandlePacket(p)
}

// deliverOutbound shows a packet that goes out to those who watch all protocols.
func (n *nic) deliverOutbound(p *packet) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	ws, ok := n.watching[allProtocols]
	if !ok {
		return
	}
	var whole *packet
	defer func() {
		if whole != nil {
			whole.DecRef()
		}
	}()
	ws.forEach(func(w watcher) {
		if whole == nil {
			whole = newPacket(n.link.headerLength(), p.payload())
			n.link.addHeader(p.protocol, whole)
			whole.kind = outgoing
		}
		c := whole.clone()
		defer c.DecRef()
		w.HandlePacket(n.id, p.protocol, c)
	})
}
