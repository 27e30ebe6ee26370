// Package bug has connections of which a part was read already.
package bug

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

const bufferSize = 16 << 10

var arrays = sync.Pool{New: func() any { return make([]byte, bufferSize) }}

// A buffer is not released while there are references.
type buffer struct {
	data       []byte
	start, end int
	refs       atomic.Int32
	managed    bool
}

func newBuffer() *buffer {
	return &buffer{data: arrays.Get().([]byte), managed: true}
}

func (b *buffer) Bytes() []byte { return b.data[b.start:b.end] }
func (b *buffer) IsEmpty() bool { return b.start == b.end }

func (b *buffer) Read(p []byte) (int, error) {
	if b.IsEmpty() {
		return 0, io.EOF
	}
	n := copy(p, b.Bytes())
	b.start += n
	return n, nil
}

func (b *buffer) ReadOnceFrom(r io.Reader) (int, error) {
	if b.end == len(b.data) {
		return 0, io.ErrShortBuffer
	}
	n, err := r.Read(b.data[b.end:])
	b.end += n
	return n, err
}

func (b *buffer) IncRef() { b.refs.Add(1) }
func (b *buffer) DecRef() { b.refs.Add(-1) }

func (b *buffer) Release() {
	if b == nil || !b.managed || b.refs.Load() > 0 {
		return
	}
	arrays.Put(b.data)
	b.data, b.managed = nil, false
	b.start, b.end = 0, 0
}

// A cachedReader gives its cache away, to be released by who takes it.
type cachedReader interface {
	ReadCached() *buffer
}

type cachedConn struct {
	net.Conn
	buffer *buffer
}

// newCachedConn takes the buffer.
func newCachedConn(conn net.Conn, b *buffer) *cachedConn {
	b.IncRef()
	return &cachedConn{Conn: conn, buffer: b}
}

func (c *cachedConn) ReadCached() *buffer {
	b := c.buffer
	c.buffer = nil
	if b != nil {
		b.DecRef()
	}
	return b
}

func (c *cachedConn) Read(p []byte) (int, error) {
	if c.buffer != nil {
		n, err := c.buffer.Read(p)
		if err == nil {
			return n, nil
		}
		c.buffer.DecRef()
		c.buffer.Release()
		c.buffer = nil
	}
	return c.Conn.Read(p)
}

func (c *cachedConn) Close() error {
	if b := c.buffer; b != nil {
		b.DecRef()
		b.Release()
		c.buffer = nil
	}
	return c.Conn.Close()
}

type packetConn interface {
	ReadPacket(b *buffer) (netip.AddrPort, error)
	Close() error
}

type packet struct {
	buffer *buffer
	to     netip.AddrPort
}

type cachedPacketConn struct {
	packetConn
	buffer *buffer
	to     netip.AddrPort
}

func newCachedPacketConn(conn packetConn, b *buffer, to netip.AddrPort) *cachedPacketConn {
	b.IncRef()
	return &cachedPacketConn{packetConn: conn, buffer: b, to: to}
}

func (c *cachedPacketConn) ReadCachedPacket() *packet {
	b := c.buffer
	c.buffer = nil
	if b == nil {
		return nil
	}
	b.DecRef()
	return &packet{buffer: b, to: c.to}
}

func (c *cachedPacketConn) ReadPacket(b *buffer) (netip.AddrPort, error) {
	if c.buffer != nil {
		_, err := b.ReadOnceFrom(c.buffer)
		if err != nil {
			return netip.AddrPort{}, err
		}
		c.buffer.DecRef()
		c.buffer.Release()
		c.buffer = nil
		return c.to, nil
	}
	return c.packetConn.ReadPacket(b)
}

func (c *cachedPacketConn) Close() error {
	if b := c.buffer; b != nil {
		b.DecRef()
		b.Release()
		c.buffer = nil
	}
	return c.packetConn.Close()
}

var errProtocol = errors.New("unknown protocol")

// sniff reads the first bytes of a connection, and finds out what they begin.
func sniff(conn net.Conn, match func(p []byte) bool) (net.Conn, error) {
	b := newBuffer()
	if _, err := b.ReadOnceFrom(conn); err != nil {
		b.Release()
		return nil, err
	}
	if !match(b.Bytes()) {
		b.Release()
		return nil, errProtocol
	}
	return newCachedConn(conn, b), nil
}

// forward copies from conn to out until ctx is done.
func forward(ctx context.Context, conn net.Conn, out io.Writer) error {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	if c, ok := conn.(cachedReader); ok {
		if b := c.ReadCached(); b != nil {
			_, err := out.Write(b.Bytes())
			b.Release()
			if err != nil {
				return err
			}
		}
	}
	_, err := io.Copy(out, conn)
	return err
}
