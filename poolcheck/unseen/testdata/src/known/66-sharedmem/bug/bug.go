// Package bug receives packets over memory that it shares with another process.
package bug

import (
	"encoding/binary"
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

const (
	ethernetLen = 14
	protoIPv4   = 0x0800
	protoIPv6   = 0x86dd
)

var packets = sync.Pool{New: func() any { return new(packet) }}

// A packet is freed with its last reference.
type packet struct {
	refs   atomic.Int32
	data   []byte
	header []byte
}

func newPacket(data []byte) *packet {
	p := packets.Get().(*packet)
	p.refs.Store(1)
	p.data = data
	return p
}

func (p *packet) IncRef() { p.refs.Add(1) }

func (p *packet) DecRef() {
	if p.refs.Add(-1) == 0 {
		p.data, p.header = nil, nil
		packets.Put(p)
	}
}

// Consume takes the first n bytes as the header.
func (p *packet) Consume(n int) ([]byte, bool) {
	if len(p.data) < n {
		return nil, false
	}
	p.header, p.data = p.data[:n], p.data[n:]
	return p.header, true
}

func (p *packet) Peek(n int) ([]byte, bool) {
	if len(p.data) < n {
		return nil, false
	}
	return p.data[:n], true
}

type address [6]byte

// A dispatcher takes a reference of its own to what it keeps.
type dispatcher interface {
	Deliver(src, dst address, proto uint16, p *packet)
}

// A slot is a place in the shared memory.
type slot struct {
	id           uint64
	offset, size uint32
}

// A ring has slots that are posted, and then come back filled.
type ring struct {
	data   []byte
	posted chan slot
	filled chan slot
}

func (r *ring) post(slots []slot) {
	for _, s := range slots {
		r.posted <- s
	}
}

// postAndReceive posts the slots and waits for the next, which make one packet.
func (r *ring) postAndReceive(slots []slot, stop <-chan struct{}) ([]slot, uint32, bool) {
	r.post(slots)
	slots = slots[:0]
	select {
	case s := <-r.filled:
		slots = append(slots, s)
		n := s.size
		for {
			select {
			case s := <-r.filled:
				slots = append(slots, s)
				n += s.size
			default:
				return slots, n, true
			}
		}
	case <-stop:
		return slots, 0, false
	}
}

type endpoint struct {
	own      address // zero if packets have no link header
	slotSize uint32
	rx       ring

	mu      sync.Mutex
	stop    chan struct{}
	started bool
	workers sync.WaitGroup
}

var errStarted = errors.New("already attached")

func (e *endpoint) Attach(d dispatcher) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started {
		return errStarted
	}
	e.started = true
	e.workers.Add(1)
	go e.dispatchLoop(d)
	return nil
}

func (e *endpoint) Close() {
	close(e.stop)
	e.workers.Wait()
}

func (e *endpoint) dispatchLoop(d dispatcher) {
	n := min(uint32(cap(e.rx.posted)), uint32(len(e.rx.data))/e.slotSize)
	for i := range n {
		e.rx.post([]slot{{id: uint64(i), offset: i * e.slotSize, size: e.slotSize}})
	}

	var slots []slot
	for {
		var n uint32
		var ok bool
		if slots, n, ok = e.rx.postAndReceive(slots, e.stop); !ok {
			break
		}

		// The other process may change the slots when they are posted again.
		b := make([]byte, n)
		at := uint32(0)
		for i, s := range slots {
			copy(b[at:], e.rx.data[s.offset:][:s.size])
			at += s.size
			slots[i].size = e.slotSize
		}

		p := newPacket(b)
		defer p.DecRef()

		var src, dst address
		var proto uint16
		if e.own != (address{}) {
			h, ok := p.Consume(ethernetLen)
			if !ok {
				continue
			}
			dst, src = address(h[:6]), address(h[6:12])
			proto = binary.BigEndian.Uint16(h[12:])
		} else {
			// The version of IP is in the first byte.
			h, ok := p.Peek(1)
			if !ok {
				continue
			}
			switch h[0] >> 4 {
			case 4:
				proto = protoIPv4
			case 6:
				proto = protoIPv6
			default:
				continue
			}
		}

		d.Deliver(src, dst, proto, p)
	}

	e.mu.Lock()
	e.rx.data = nil
	e.mu.Unlock()
	e.workers.Done()
}

// A queue keeps packets of one protocol until somebody takes them.
type queue struct {
	proto   uint16
	waiting chan *packet
}

func (q *queue) Deliver(_, _ address, proto uint16, p *packet) {
	if proto != q.proto {
		return
	}
	p.IncRef()
	select {
	case q.waiting <- p:
	default:
		log.Printf("packet of %d bytes dropped", len(p.data))
		p.DecRef()
	}
}

func (q *queue) take(handle func(data []byte)) {
	p := <-q.waiting
	defer p.DecRef()
	handle(p.data)
}
