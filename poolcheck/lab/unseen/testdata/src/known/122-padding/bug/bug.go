// Package bug carries streams over a connection that begins with a password and
// padding.
package bug

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

const packetSize = 16 << 10

var memory = sync.Pool{New: func() any { return new([packetSize]byte) }}

// A Buffer has pooled memory. Release does nothing the second time.
type Buffer struct {
	mem        *[packetSize]byte
	start, end int
}

func NewPacket() *Buffer { return &Buffer{mem: memory.Get().(*[packetSize]byte)} }

func (b *Buffer) Release() {
	if b == nil || b.mem == nil {
		return
	}
	mem := b.mem
	*b = Buffer{}
	memory.Put(mem)
}

func (b *Buffer) Len() int { return b.end - b.start }

func (b *Buffer) free() []byte {
	if b.mem == nil {
		return nil
	}
	return b.mem[b.end:]
}

// Extend adds n bytes, for the caller to write.
func (b *Buffer) Extend(n int) []byte {
	b.end += n
	return b.mem[b.end-n : b.end]
}

func (b *Buffer) Write(p []byte) (int, error) {
	n := copy(b.free(), p)
	b.end += n
	if n < len(p) {
		return n, io.ErrShortBuffer
	}
	return n, nil
}

func (b *Buffer) pad(n int) error {
	if n > len(b.free()) {
		return io.ErrShortBuffer
	}
	clear(b.Extend(n))
	return nil
}

func (b *Buffer) Read(p []byte) (int, error) {
	if b.Len() == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.mem[b.start:b.end])
	b.start += n
	return n, nil
}

// ReadBytes returns the next n bytes, which are a part of the buffer.
func (b *Buffer) ReadBytes(n int) ([]byte, error) {
	if b.Len() < n {
		return nil, io.EOF
	}
	b.start += n
	return b.mem[b.start-n : b.start], nil
}

func (b *Buffer) fill(r io.Reader) (int, error) {
	n, err := r.Read(b.free())
	b.end += n
	return n, err
}

func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	if b.mem == nil {
		return 0, nil
	}
	n, err := w.Write(b.mem[b.start:b.end])
	b.start += n
	return int64(n), err
}

// A cachedConn reads what is in a buffer first, and releases it then.
type cachedConn struct {
	net.Conn
	buffer *Buffer
}

func newCachedConn(c net.Conn, b *Buffer) *cachedConn { return &cachedConn{c, b} }

func (c *cachedConn) Read(p []byte) (int, error) {
	if c.buffer != nil {
		if n, err := c.buffer.Read(p); err == nil {
			return n, nil
		}
		c.buffer.Release()
		c.buffer = nil
	}
	return c.Conn.Read(p)
}

func (c *cachedConn) Close() error {
	c.buffer.Release()
	c.buffer = nil
	return c.Conn.Close()
}

// A Listener serves connections.
type Listener struct {
	config  *tls.Config
	known   func(password []byte) bool
	handler func(stream net.Conn)
}

// Serve serves one connection until it ends.
func (l *Listener) Serve(conn net.Conn) {
	conn = tls.Server(conn, l.config)
	defer conn.Close()

	b := NewPacket()

	_, err := b.fill(conn)
	if err != nil {
		return
	}
	conn = newCachedConn(conn, b)

	by, err := b.ReadBytes(sha256.Size)
	if err != nil {
		return
	}
	if !l.known(by) {
		return
	}
	by, err = b.ReadBytes(2)
	if err != nil {
		return
	}
	if n := binary.BigEndian.Uint16(by); n > 0 {
		if _, err = b.ReadBytes(int(n)); err != nil {
			return
		}
	}
	l.handler(conn)
}

// A Client makes connections to a server.
type Client struct {
	password [sha256.Size]byte
	config   *tls.Config
	dial     func(ctx context.Context) (net.Conn, error)
	padding  func() int
}

var errPadding = errors.New("padding is too long")

// Connect returns a connection on which the handshake was sent.
func (c *Client) Connect(ctx context.Context) (net.Conn, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}

	b := NewPacket()

	b.Write(c.password[:])
	n := c.padding()
	binary.BigEndian.PutUint16(b.Extend(2), uint16(n))
	if n > 0 {
		if err := b.pad(n); err != nil {
			conn.Close()
			return nil, errPadding
		}
	}

	tlsConn := tls.Client(conn, c.config)
	if err := tlsConn.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	if _, err = b.WriteTo(tlsConn); err != nil {
		tlsConn.Close()
		return nil, err
	}
	return tlsConn, nil
}
