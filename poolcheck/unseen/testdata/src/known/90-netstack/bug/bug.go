// Package bug takes packets from a tunnel device to a network stack, and back.
package bug

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

const (
	protocolIPv4 = 0x0800
	protocolIPv6 = 0x86dd
	headerLen    = 28
)

var errQueueFull = errors.New("queue of the link is full")

var packetPool = sync.Pool{New: func() any { return new(packetBuffer) }}

// A packetBuffer is a packet with references. Who keeps it longer than a call takes
// one of its own.
type packetBuffer struct {
	refs   atomic.Int32
	header [headerLen]byte
	data   []byte
}

// newPacketBuffer returns a packet with one reference, which is the caller's.
func newPacketBuffer(data []byte) *packetBuffer {
	pkt := packetPool.Get().(*packetBuffer)
	pkt.refs.Store(1)
	n := copy(pkt.header[:], data)
	pkt.data = append(pkt.data[:0], data[n:]...)
	return pkt
}

func (pkt *packetBuffer) IncRef() { pkt.refs.Add(1) }

func (pkt *packetBuffer) DecRef() {
	if pkt.refs.Add(-1) == 0 {
		packetPool.Put(pkt)
	}
}

// AppendTo appends the whole packet to dst.
func (pkt *packetBuffer) AppendTo(dst []byte) []byte {
	dst = append(dst, pkt.header[:]...)
	return append(dst, pkt.data...)
}

// A dispatcher gets the packets that come in. It only borrows them.
type dispatcher interface {
	DeliverNetworkPacket(protocol uint16, pkt *packetBuffer)
}

// A linkEndpoint is the end of the stack to which the device is attached.
type linkEndpoint struct {
	mu         sync.RWMutex
	dispatcher dispatcher
	outbound   chan *packetBuffer
	notify     func()
}

func (e *linkEndpoint) Attach(d dispatcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dispatcher = d
}

func (e *linkEndpoint) IsAttached() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.dispatcher != nil
}

// InjectInbound lets the stack handle a packet.
func (e *linkEndpoint) InjectInbound(protocol uint16, pkt *packetBuffer) {
	e.mu.RLock()
	d := e.dispatcher
	e.mu.RUnlock()
	d.DeliverNetworkPacket(protocol, pkt)
}

// WritePacket queues a packet of the stack, with a reference for the queue.
func (e *linkEndpoint) WritePacket(pkt *packetBuffer) error {
	pkt.IncRef()
	select {
	case e.outbound <- pkt:
	default:
		pkt.DecRef()
		return errQueueFull
	}
	e.notify()
	return nil
}

// Read returns the next packet of the queue with its reference, or nil.
func (e *linkEndpoint) Read() *packetBuffer {
	select {
	case pkt := <-e.outbound:
		return pkt
	default:
		return nil
	}
}

type device interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	MTU() int
	IsClosed() bool
	Close() error
}

type datagram struct {
	header  [headerLen]byte
	payload []byte
}

type adapter struct {
	device device
	link   *linkEndpoint
	udpIn  chan<- datagram
	wg     sync.WaitGroup
}

func newAdapter(dev device, udpIn chan<- datagram) *adapter {
	a := &adapter{device: dev, udpIn: udpIn}
	a.link = &linkEndpoint{outbound: make(chan *packetBuffer, 512), notify: a.writeNotify}
	a.link.Attach(a)
	a.wg.Add(1)
	go a.readLoop()
	return a
}

// DeliverNetworkPacket hands a datagram over, and drops it if nobody has time.
func (a *adapter) DeliverNetworkPacket(protocol uint16, pkt *packetBuffer) {
	d := datagram{header: pkt.header, payload: append([]byte(nil), pkt.data...)}
	select {
	case a.udpIn <- d:
	default:
	}
}

func (a *adapter) readLoop() {
	defer a.wg.Done()
	packet := make([]byte, a.device.MTU())
	for !a.device.IsClosed() {
		n, err := a.device.Read(packet)
		if err != nil {
			log.Println("reading from the device:", err)
			continue
		}
		if n < headerLen {
			continue
		}
		var protocol uint16
		switch packet[0] >> 4 {
		case 4:
			protocol = protocolIPv4
		case 6:
			protocol = protocolIPv6
		default:
			log.Println("IP has no version", packet[0]>>4)
			continue
		}
		if a.link.IsAttached() {
			a.link.InjectInbound(protocol, newPacketBuffer(packet[:n]))
		} else {
			log.Println("nobody is attached to the link")
		}
	}
}

// writeNotify is called when the stack has queued a packet.
func (a *adapter) writeNotify() {
	pkt := a.link.Read()
	if pkt == nil {
		return
	}
	_, err := a.device.Write(pkt.AppendTo(nil))
	if err != nil && !a.device.IsClosed() {
		log.Println("writing to the device:", err)
	}
}

// Reply sends an answer to a datagram.
func (a *adapter) Reply(d datagram, payload []byte) error {
	pkt := newPacketBuffer(append(d.header[:], payload...))
	defer pkt.DecRef()
	return a.link.WritePacket(pkt)
}

func (a *adapter) Close() error {
	err := a.device.Close()
	a.wg.Wait()
	return err
}
