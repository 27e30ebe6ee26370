// Package bug hands the packets of a socket to the sessions that they belong to.
package bug

import (
	"errors"
	"log"
	"net"
	"sync"
)

const (
	maxPacket = 1452
	tokenLen  = 16
	longForm  = 0x80
)

// A packetBuffer has the bytes of packets, and counts these.
type packetBuffer struct {
	data []byte
	refs int
}

func (b *packetBuffer) Decrement() {
	b.refs--
	if b.refs < 0 {
		panic("packet buffer released too often")
	}
}

// Release releases a buffer of one packet.
func (b *packetBuffer) Release() {
	b.Decrement()
	if b.refs != 0 {
		panic("packet buffer still used")
	}
	b.putBack()
}

func (b *packetBuffer) putBack() {
	if cap(b.data) != maxPacket {
		panic("packet buffer of a wrong size")
	}
	packetBuffers.Put(b)
}

var packetBuffers = sync.Pool{
	New: func() any { return &packetBuffer{data: make([]byte, 0, maxPacket)} },
}

func getPacketBuffer() *packetBuffer {
	b := packetBuffers.Get().(*packetBuffer)
	b.refs = 1
	b.data = b.data[:0]
	return b
}

type packet struct {
	from   net.Addr
	buffer *packetBuffer
	data   []byte
}

// A packetHandler releases the packets that it gets.
type packetHandler interface {
	handlePacket(p *packet)
}

var errShort = errors.New("packet too short for its connection ID")

type token [tokenLen]byte

type dispatcher struct {
	conn   net.PacketConn
	idLen  int
	reset  func(id []byte) []byte // nil if there are no resets
	server packetHandler          // nil for clients

	mu       sync.RWMutex
	handlers map[string]packetHandler
	tokens   map[token]string
}

func (d *dispatcher) parseID(data []byte) ([]byte, error) {
	if len(data) < 1+d.idLen {
		return nil, errShort
	}
	return data[1 : 1+d.idLen], nil
}

func (d *dispatcher) listen() {
	for {
		buffer := getPacketBuffer()
		data := buffer.data[:maxPacket]
		n, from, err := d.conn.ReadFrom(data)
		if err != nil {
			log.Print(err)
			return
		}
		d.handlePacket(from, buffer, data[:n])
	}
}

func (d *dispatcher) handlePacket(from net.Addr, buffer *packetBuffer, data []byte) {
	id, err := d.parseID(data)
	if err != nil {
		log.Printf("packet from %s: %v", from, err)
		return
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.isReset(data) {
		return
	}

	p := &packet{from: from, buffer: buffer, data: data}
	if h, ok := d.handlers[string(id)]; ok {
		h.handlePacket(p)
		return
	}
	if data[0]&longForm == 0 {
		go d.sendReset(p, id)
		return
	}
	if d.server == nil {
		log.Printf("packet from %s for the unknown connection %x", from, id)
		return
	}
	d.server.handlePacket(p)
}

func (d *dispatcher) isReset(data []byte) bool {
	if data[0]&longForm != 0 || len(data) <= tokenLen {
		return false
	}
	_, ok := d.tokens[token(data[len(data)-tokenLen:])]
	return ok
}

func (d *dispatcher) sendReset(p *packet, id []byte) {
	defer p.buffer.Release()
	answer := d.reset(id)
	if _, err := d.conn.WriteTo(answer, p.from); err != nil {
		log.Print(err)
	}
}
