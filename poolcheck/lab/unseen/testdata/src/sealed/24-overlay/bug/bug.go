// Package bug sends and receives packets of an overlay network. The first byte
// of a packet tells whether it is traffic or for the node itself.
package bug

import (
	"errors"
	"net"
	"sync"
)

const (
	typeTraffic = iota + 1
	typeControl // for the node itself
)

var bytePool = sync.Pool{New: func() any { return []byte(nil) }}

func allocBytes(size int) []byte {
	bs := bytePool.Get().([]byte)
	if cap(bs) < size {
		bs = make([]byte, size)
	}
	return bs[:size]
}

func freeBytes(bs []byte) {
	bytePool.Put(bs[:0])
}

// A core is a connection to the other nodes.
type core struct {
	conn net.PacketConn
	mtu  int
}

// ReadFrom reads the next packet of traffic.
func (c *core) ReadFrom(p []byte) (int, net.Addr, error) {
	buf := allocBytes(c.mtu)
	defer freeBytes(buf)
	for {
		n, from, err := c.conn.ReadFrom(buf)
		if err != nil {
			return 0, from, err
		}
		if n == 0 {
			continue
		}
		switch buf[0] {
		case typeTraffic:
			return copy(p, buf[1:n]), from, nil
		}
	}
}

// WriteTo sends a packet of traffic.
func (c *core) WriteTo(p []byte, addr net.Addr) (int, error) {
	if len(p) >= c.mtu {
		return 0, errors.New("the packet is too large")
	}
	buf := allocBytes(0)
	defer freeBytes(buf)
	buf = append(buf, typeTraffic)
	buf = append(buf, p...)
	n, err := c.conn.WriteTo(buf, addr)
	if n > 0 {
		n--
	}
	return n, err
}
