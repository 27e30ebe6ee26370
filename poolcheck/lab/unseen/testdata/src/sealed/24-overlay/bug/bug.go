// Package bug sends and receives packets of an overlay network. The first byte
// of a packet tells whether it is traffic or for the node itself.
package bug

import (
	"errors"
	"net"
	"sync"
	"time"
)

const (
	typeTraffic = iota + 1
	typeControl
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
	conn     net.PacketConn
	mtu      int
	onChange func(from net.Addr)

	mu    sync.Mutex
	peers map[string]time.Time
}

func newCore(conn net.PacketConn, mtu int) *core {
	return &core{conn: conn, mtu: mtu, peers: make(map[string]time.Time)}
}

// control handles a message for the node. It may keep the message.
func (c *core) control(from net.Addr, message []byte) {
	c.mu.Lock()
	_, known := c.peers[from.String()]
	c.peers[from.String()] = time.Now()
	c.mu.Unlock()
	if !known && c.onChange != nil {
		c.onChange(from)
	}
	if len(message) > 0 && message[0] == 0 {
		c.mu.Lock()
		delete(c.peers, from.String())
		c.mu.Unlock()
	}
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
		case typeControl:
			c.control(from, append([]byte(nil), buf[1:n]...))
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

// leave says goodbye to a node.
func (c *core) leave(addr net.Addr) error {
	_, err := c.conn.WriteTo([]byte{typeControl, 0}, addr)
	return err
}

func (c *core) Close() error                       { return c.conn.Close() }
func (c *core) LocalAddr() net.Addr                { return c.conn.LocalAddr() }
func (c *core) SetDeadline(t time.Time) error      { return c.conn.SetDeadline(t) }
func (c *core) SetReadDeadline(t time.Time) error  { return c.conn.SetReadDeadline(t) }
func (c *core) SetWriteDeadline(t time.Time) error { return c.conn.SetWriteDeadline(t) }

var _ net.PacketConn = (*core)(nil)
