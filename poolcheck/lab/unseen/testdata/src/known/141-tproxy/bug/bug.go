// Package bug takes datagrams that were sent to other addresses and hands them
// to a tunnel.
package bug

import (
	"errors"
	"log"
	"math/bits"
	"net"
	"net/netip"
	"sync"
)

const udpBufferSize = 16 << 10

// An allocator has a pool for each power of two.
type allocator struct {
	buffers [3]sync.Pool
}

var defaultAllocator = &allocator{buffers: [...]sync.Pool{
	{New: func() any { return new([1 << 14]byte) }},
	{New: func() any { return new([1 << 15]byte) }},
	{New: func() any { return new([1 << 16]byte) }},
}}

func (a *allocator) get(size int) []byte {
	switch {
	case size == 0:
		return nil
	case size <= 1<<14:
		return a.buffers[0].Get().(*[1 << 14]byte)[:size]
	case size <= 1<<15:
		return a.buffers[1].Get().(*[1 << 15]byte)[:size]
	case size <= 1<<16:
		return a.buffers[2].Get().(*[1 << 16]byte)[:size]
	}
	return make([]byte, size)
}

func (a *allocator) put(buf []byte) error {
	if cap(buf) == 0 || cap(buf) > 1<<16 {
		return nil
	}
	if bits.OnesCount(uint(cap(buf))) != 1 {
		return errors.New("buffer of a size that is not pooled")
	}
	buf = buf[:cap(buf)]
	switch cap(buf) {
	case 1 << 14:
		a.buffers[0].Put((*[1 << 14]byte)(buf))
	case 1 << 15:
		a.buffers[1].Put((*[1 << 15]byte)(buf))
	case 1 << 16:
		a.buffers[2].Put((*[1 << 16]byte)(buf))
	}
	return nil
}

func getBuffer(size int) []byte  { return defaultAllocator.get(size) }
func putBuffer(buf []byte) error { return defaultAllocator.put(buf) }

// A udpPacket is dropped by the one that it was handed to.
type udpPacket interface {
	data() []byte
	drop()
	localAddr() net.Addr
}

type packet struct {
	pc    net.PacketConn
	lAddr netip.AddrPort
	buf   []byte
	t     *tunnel
}

func (c *packet) data() []byte { return c.buf }

func (c *packet) localAddr() net.Addr { return net.UDPAddrFromAddrPort(c.lAddr) }

func (c *packet) drop() {
	_ = putBuffer(c.buf)
	c.buf = nil
}

type metadata struct {
	target netip.AddrPort
	source net.Addr
	rules  []string
}

type adapter struct {
	udpPacket
	meta metadata
}

type tunnel struct {
	queue chan adapter
	out   func(p []byte, to netip.AddrPort) error
	dial  func(rAddr, lAddr netip.AddrPort) (*net.UDPConn, error)
}

func (t *tunnel) handlePacket(p udpPacket, meta metadata) {
	select {
	case t.queue <- adapter{p, meta}:
	default:
		p.drop()
	}
}

// process sends what the queue has to where it was meant to go.
func (t *tunnel) process() {
	for a := range t.queue {
		if err := t.out(a.data(), a.meta.target); err != nil {
			log.Println("udp:", err)
		}
		a.drop()
	}
}

// listenLocalConn listens at rAddr and sends what comes to the program itself,
// which sends it on.
func listenLocalConn(rAddr, lAddr net.Addr, t *tunnel) (*net.UDPConn, error) {
	from, to := lAddr.(*net.UDPAddr).AddrPort(), rAddr.(*net.UDPAddr).AddrPort()
	lc, err := t.dial(to, from)
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			buf := getBuffer(udpBufferSize)
			n, err := lc.Read(buf)
			if err != nil {
				putBuffer(buf)
				if errors.Is(err, net.ErrClosed) {
					log.Printf("local conn ends: %s for %s", rAddr, lAddr)
					return
				}
			}
			handlePacketConn(lc, t, buf[:n], from, to, "default-tproxy")
		}
	}()
	return lc, nil
}

func handlePacketConn(pc net.PacketConn, t *tunnel, buf []byte, lAddr, rAddr netip.AddrPort, rules ...string) {
	pkt := &packet{
		pc:    pc,
		lAddr: lAddr,
		buf:   buf,
		t:     t,
	}
	t.handlePacket(pkt, metadata{target: rAddr, source: pkt.localAddr(), rules: rules})
}
