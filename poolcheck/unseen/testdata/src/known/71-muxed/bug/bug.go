// Package bug makes many connections of one UDP socket.
package bug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"time"

	pool "github.com/libp2p/go-buffer-pool"
)

const (
	maxPacket = 1500
	queueLen  = 128
)

var (
	errClosed = errors.New("connection closed")
	errFull   = errors.New("queue full")
)

// A muxedConn has the packets from one address.
type muxedConn struct {
	ctx     context.Context
	cancel  context.CancelFunc
	onClose func()
	once    sync.Once
	remote  net.Addr
	mux     *udpMux

	mu    sync.Mutex // held to push and to close
	queue chan []byte
}

var _ net.PacketConn = (*muxedConn)(nil)

func newMuxedConn(m *udpMux, remote net.Addr, onClose func()) *muxedConn {
	ctx, cancel := context.WithCancel(m.ctx)
	return &muxedConn{ctx: ctx, cancel: cancel, onClose: onClose, remote: remote, mux: m, queue: make(chan []byte, queueLen)}
}

// Push takes p, unless it fails.
func (c *muxedConn) Push(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return errClosed
	}
	select {
	case c.queue <- p:
		return nil
	default:
		return errFull
	}
}

func (c *muxedConn) ReadFrom(dst []byte) (int, net.Addr, error) {
	select {
	case p := <-c.queue:
		n := copy(dst, p)
		if n < len(p) {
			log.Printf("%d of the %d bytes of a packet lost", len(p)-n, len(p))
		}
		return n, c.remote, nil
	case <-c.ctx.Done():
		return 0, nil, c.ctx.Err()
	}
}

func (c *muxedConn) WriteTo(p []byte, addr net.Addr) (int, error) {
	return c.mux.socket.WriteTo(p, addr)
}

func (c *muxedConn) Close() error {
	c.once.Do(c.onClose)
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	for {
		select {
		case <-c.queue:
		default:
			return nil
		}
	}
}

func (c *muxedConn) LocalAddr() net.Addr { return c.mux.socket.LocalAddr() }

func (*muxedConn) SetDeadline(time.Time) error      { return nil }
func (*muxedConn) SetReadDeadline(time.Time) error  { return nil }
func (*muxedConn) SetWriteDeadline(time.Time) error { return nil }

type candidate struct {
	name string
	addr *net.UDPAddr
}

type connKey struct {
	name string
	ipv6 bool
}

// A udpMux finds the connection of a packet by its address, and that of the
// first by a name in the packet.
type udpMux struct {
	socket net.PacketConn
	queue  chan candidate
	wg     sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	byName map[connKey]*muxedConn
	byAddr map[string]*muxedConn
}

func newUDPMux(socket net.PacketConn) *udpMux {
	m := &udpMux{
		socket: socket,
		queue:  make(chan candidate, 32),
		byName: make(map[connKey]*muxedConn),
		byAddr: make(map[string]*muxedConn),
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		m.readLoop()
	}()
	return m
}

func (m *udpMux) Close() error {
	m.cancel()
	err := m.socket.Close()
	m.wg.Wait()
	return err
}

func (m *udpMux) readLoop() {
	for m.ctx.Err() == nil {
		p := pool.Get(maxPacket)
		n, addr, err := m.socket.ReadFrom(p)
		if err != nil {
			log.Printf("reading from the socket: %v", err)
			pool.Put(p)
			return
		}
		p = p[:n]
		if !m.process(p, addr) {
			pool.Put(p)
		}
	}
}

// process tells whether somebody has taken p.
func (m *udpMux) process(p []byte, from net.Addr) bool {
	addr, ok := from.(*net.UDPAddr)
	if !ok {
		log.Printf("packet from %T", from)
		return false
	}

	m.mu.Lock()
	c, ok := m.byAddr[addr.String()]
	m.mu.Unlock()
	if ok {
		if err := c.Push(p); err != nil {
			log.Printf("packet from %s: %v", addr, err)
			return false
		}
		return true
	}

	name, err := parseName(p)
	if err != nil {
		log.Printf("first packet from %s: %v", addr, err)
		return false
	}
	c, created := m.connFor(name, addr)
	if created {
		select {
		case m.queue <- candidate{name, addr}:
		default:
			log.Printf("%s from %s dropped", name, addr)
			c.Close()
			return false
		}
	}
	if err := c.Push(p); err != nil {
		log.Printf("packet from %s: %v", addr, err)
		return false
	}
	return true
}

func (m *udpMux) accept(ctx context.Context) (candidate, error) {
	select {
	case c := <-m.queue:
		return c, nil
	case <-ctx.Done():
		return candidate{}, ctx.Err()
	case <-m.ctx.Done():
		return candidate{}, io.ErrClosedPipe
	}
}

func (m *udpMux) connFor(name string, addr *net.UDPAddr) (*muxedConn, bool) {
	key := connKey{name, addr.IP.To4() == nil}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.byName[key]; ok {
		return c, false
	}
	c := newMuxedConn(m, addr, func() { m.remove(key) })
	m.byName[key] = c
	m.byAddr[addr.String()] = c
	return c, true
}

func (m *udpMux) remove(key connKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.byName[key]; ok {
		delete(m.byName, key)
		delete(m.byAddr, c.remote.String())
	}
}

// parseName returns the part of the name after the colon.
func parseName(p []byte) (string, error) {
	if len(p) < 2 || p[0] != 1 {
		return "", errors.New("no request")
	}
	n := int(p[1])
	if len(p) < 2+n {
		return "", io.ErrUnexpectedEOF
	}
	_, name, ok := bytes.Cut(p[2:2+n], []byte(":"))
	if !ok {
		return "", fmt.Errorf("name %q", p[2:2+n])
	}
	return string(name), nil
}
