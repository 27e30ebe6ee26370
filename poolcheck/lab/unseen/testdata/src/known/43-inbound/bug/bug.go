// Package bug receives the packets of a tunnel.
package bug

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

const (
	maxPacket  = 1 << 16
	headerSize = 16
	transport  = 4
)

// An element is a packet on its way to its peer. Its lock is held until the
// packet is decrypted.
type element struct {
	sync.Mutex
	dropped atomic.Bool
	buffer  *[maxPacket]byte
	packet  []byte
	keys    *keys
}

func (e *element) clear() {
	e.buffer = nil
	e.packet = nil
	e.keys = nil
}

type keys struct {
	open func(dst, packet []byte) ([]byte, error)
}

type peer struct {
	running atomic.Bool
	queue   sync.RWMutex
	inbound chan *element
}

type entry struct {
	peer *peer
	keys *keys
}

// A device has pools of a fixed size if it was made with one.
type device struct {
	fixed       bool
	bufferPool  sync.Pool
	elementPool sync.Pool
	buffers     chan *[maxPacket]byte
	elements    chan *element

	index      map[uint32]entry
	decryption chan *element
	deliver    func(packet []byte)
}

func (d *device) getBuffer() *[maxPacket]byte {
	if !d.fixed {
		return d.bufferPool.Get().(*[maxPacket]byte)
	}
	return <-d.buffers
}

func (d *device) putBuffer(b *[maxPacket]byte) {
	if !d.fixed {
		d.bufferPool.Put(b)
	} else {
		d.buffers <- b
	}
}

func (d *device) getElement() *element {
	if !d.fixed {
		return d.elementPool.Get().(*element)
	}
	return <-d.elements
}

func (d *device) putElement(e *element) {
	e.clear()
	if !d.fixed {
		d.elementPool.Put(e)
	} else {
		d.elements <- e
	}
}

// enqueue tells whether the buffer of the element is taken over.
func (d *device) enqueue(inbound chan *element, e *element) bool {
	select {
	case inbound <- e:
		select {
		case d.decryption <- e:
			return true
		default:
			e.dropped.Store(true)
			e.Unlock()
			return false
		}
	default:
		d.putElement(e)
		return false
	}
}

func (d *device) receive(read func(p []byte) (int, error)) {
	buffer := d.getBuffer()
	for {
		n, err := read(buffer[:])
		if err != nil {
			d.putBuffer(buffer)
			return
		}
		packet := buffer[:n]
		if n < headerSize || binary.LittleEndian.Uint32(packet) != transport {
			continue
		}
		to, ok := d.index[binary.LittleEndian.Uint32(packet[4:])]
		if !ok {
			continue
		}

		e := d.getElement()
		e.packet = packet
		e.buffer = buffer
		e.keys = to.keys
		e.dropped.Store(false)
		e.Mutex = sync.Mutex{}
		e.Lock()

		to.peer.queue.RLock()
		if to.peer.running.Load() {
			if d.enqueue(to.peer.inbound, e) {
				buffer = d.getBuffer()
			}
		}
		to.peer.queue.RUnlock()
	}
}

func (d *device) decrypt() {
	for e := range d.decryption {
		var err error
		e.packet, err = e.keys.open(e.packet[:0], e.packet)
		if err != nil {
			d.putBuffer(e.buffer)
			e.dropped.Store(true)
		}
		e.Unlock()
	}
}

func (d *device) sequence(p *peer) {
	for e := range p.inbound {
		e.Lock()
		if !e.dropped.Load() {
			d.deliver(e.packet)
			d.putBuffer(e.buffer)
		}
		d.putElement(e)
	}
}
