// Package fixed takes datagrams from connections and passes them to a service, which
// has buffers of its own.
package fixed

import (
	"context"
	"crypto/cipher"
	"errors"
	"io"
	"net"
	"sync"
)

const bufferSize = 2048

var slices = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// A buffer is what a connection is read into. Release does nothing the second
// time.
type buffer struct {
	mem        *[bufferSize]byte
	start, end int
}

func newBuffer() *buffer { return &buffer{mem: slices.Get().(*[bufferSize]byte)} }

func (b *buffer) Release() {
	if b == nil || b.mem == nil {
		return
	}
	mem := b.mem
	*b = buffer{}
	slices.Put(mem)
}

func (b *buffer) Bytes() []byte {
	if b.mem == nil {
		return nil
	}
	return b.mem[b.start:b.end]
}

func (b *buffer) ReadFrom(r io.Reader) (int64, error) {
	n, err := r.Read(b.mem[b.end:])
	b.end += n
	return int64(n), err
}

// A burst has the datagrams that came at once.
type burst []*buffer

func releaseAll(bs burst) {
	for i, b := range bs {
		b.Release()
		bs[i] = nil
	}
}

type packetReader struct{ r io.Reader }

func (p packetReader) readBurst() (burst, error) {
	var bs burst
	for len(bs) < 4 {
		b := newBuffer()
		if _, err := b.ReadFrom(p.r); err != nil {
			b.Release()
			if len(bs) > 0 {
				return bs, nil
			}
			return nil, err
		}
		bs = append(bs, b)
		if len(b.Bytes()) < bufferSize {
			break
		}
	}
	return bs, nil
}

// A datagram is what the service has for a buffer. One that was made with as has
// memory of somebody else, which Release leaves alone.
type datagram struct {
	data  []byte
	owned bool
}

var datagrams = sync.Pool{New: func() any { return new([]byte) }}

func as(data []byte) *datagram { return &datagram{data: data} }

// toOwned returns a copy with pooled memory.
func (d *datagram) toOwned() *datagram {
	p := datagrams.Get().(*[]byte)
	return &datagram{data: append((*p)[:0], d.data...), owned: true}
}

func (d *datagram) Release() {
	if !d.owned {
		return
	}
	data := d.data
	*d = datagram{}
	datagrams.Put(&data)
}

type metadata struct{ source, destination string }

// A handler takes over the packets that it is given.
type handler interface {
	handlePacket(ctx context.Context, conn net.PacketConn, packet *datagram, meta metadata)
}

// A service opens packets and hands them on. A packet belongs to the service
// unless NewPacket returns an error.
type service interface {
	NewPacket(ctx context.Context, conn net.PacketConn, packet *datagram, meta metadata) error
}

var (
	errShort  = errors.New("packet too short")
	errReplay = errors.New("packet was seen before")
)

// sealed is a service for packets that are sealed with one key.
type sealed struct {
	aead    cipher.AEAD
	handler handler

	mu   sync.Mutex
	seen map[string]bool
}

func (s *sealed) NewPacket(ctx context.Context, conn net.PacketConn, packet *datagram, meta metadata) error {
	n := s.aead.NonceSize()
	if len(packet.data) < n+s.aead.Overhead() {
		return errShort
	}
	nonce := string(packet.data[:n])
	s.mu.Lock()
	seen := s.seen[nonce]
	s.seen[nonce] = true
	s.mu.Unlock()
	if seen {
		return errReplay
	}
	plain, err := s.aead.Open(packet.data[n:n], packet.data[:n], packet.data[n:], nil)
	if err != nil {
		return err
	}
	packet.data = packet.data[:copy(packet.data, plain)]
	s.handler.handlePacket(ctx, conn, packet, meta)
	return nil
}

// echo sends packets back.
type echo struct{}

func (echo) handlePacket(ctx context.Context, conn net.PacketConn, packet *datagram, meta metadata) {
	defer packet.Release()
	if addr, err := net.ResolveUDPAddr("udp", meta.source); err == nil && ctx.Err() == nil {
		conn.WriteTo(packet.data, addr)
	}
}

// natConn is a connection to one peer that looks like one to many.
type natConn struct{ net.Conn }

func (c natConn) ReadFrom(p []byte) (int, net.Addr, error) {
	n, err := c.Read(p)
	return n, c.RemoteAddr(), err
}

func (c natConn) WriteTo(p []byte, _ net.Addr) (int, error) { return c.Write(p) }

// An Inbound serves connections of one kind.
type Inbound struct {
	service     service
	destination string
}

func returnError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Process passes on what comes from a connection, until there is an error.
func (i *Inbound) Process(ctx context.Context, conn net.Conn) error {
	meta := metadata{source: conn.RemoteAddr().String(), destination: i.destination}
	reader := packetReader{conn}
	pc := natConn{conn}
	for {
		bs, err := reader.readBurst()
		if err != nil {
			releaseAll(bs)
			return returnError(err)
		}
		for _, b := range bs {
			packet := as(b.Bytes()).toOwned()
			err = i.service.NewPacket(ctx, pc, packet, meta)
			if err != nil {
				packet.Release()
				releaseAll(bs)
				return err
			}
			b.Release()
		}
	}
}
