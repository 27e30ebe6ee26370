// Package bug forwards the datagrams of many senders, each over a connection of
// its own.
package bug

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxDatagram = 64 << 10
	controlSize = 1600
)

// A pooled is content that is released.
type pooled interface {
	Payload() []byte
	Release()
}

type pooledBuffer struct {
	buf     []byte
	release func()
}

func (b *pooledBuffer) Payload() []byte { return b.buf }
func (b *pooledBuffer) Release()        { b.release() }

// A bufferPool keeps so many buffers as its channel holds.
type bufferPool struct {
	free chan *pooledBuffer
	size int
}

func newBufferPool(n, size int) *bufferPool {
	return &bufferPool{free: make(chan *pooledBuffer, n), size: size}
}

func (p *bufferPool) newBuffer() *pooledBuffer {
	whole := make([]byte, p.size)
	b := &pooledBuffer{buf: whole}
	b.release = func() {
		b.buf = whole
		select {
		case p.free <- b:
		default:
		}
	}
	return b
}

func (p *bufferPool) Acquire() *pooledBuffer {
	select {
	case b := <-p.free:
		return b
	default:
		return p.newBuffer()
	}
}

// A writeQueue releases what it accepts.
type writeQueue interface {
	Accept(p pooled)
	Service() string
}

type event interface {
	Handle(m *manager) error
}

type failure struct{ error }

func (f failure) Handle(*manager) error { return f.error }

// A conn is one sender's.
type conn struct {
	reading chan pooled
	closing chan struct{}
	once    sync.Once
	service string
	sender  net.Addr
	back    net.PacketConn
	used    atomic.Int64
}

func (c *conn) Service() string { return c.service }

func (c *conn) Accept(p pooled) {
	select {
	case c.reading <- p:
	case <-c.closing:
		p.Release()
	}
}

// WriteTo writes what is accepted, until the connection is closed.
func (c *conn) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for {
		select {
		case p := <-c.reading:
			n, err := w.Write(p.Payload())
			p.Release()
			c.used.Store(time.Now().Unix())
			total += int64(n)
			if err != nil {
				return total, err
			}
		case <-c.closing:
			return total, io.EOF
		}
	}
}

func (c *conn) Close() error {
	c.once.Do(func() { close(c.closing) })
	return c.back.Close()
}

var errTooMany = errors.New("too many connections")

// A manager handles events one after the other.
type manager struct {
	events chan event
	conns  map[string]*conn
	max    int
	idle   time.Duration
	dial   func(service string) (io.WriteCloser, error)
}

func (m *manager) run() {
	tick := time.NewTicker(m.idle)
	defer tick.Stop()
	for {
		select {
		case e := <-m.events:
			err := e.Handle(m)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				log.Printf("event: %v", err)
			}
		case now := <-tick.C:
			for key, c := range m.conns {
				if now.Unix()-c.used.Load() > int64(m.idle/time.Second) {
					c.Close()
					delete(m.conns, key)
				}
			}
		}
	}
}

func (m *manager) queue(sender net.Addr) writeQueue {
	c := m.conns[sender.String()]
	if c == nil {
		return nil
	}
	return c
}

func (m *manager) newQueue(sender net.Addr, service string, back net.PacketConn) (writeQueue, error) {
	if len(m.conns) >= m.max {
		return nil, errTooMany
	}
	out, err := m.dial(service)
	if err != nil {
		return nil, err
	}
	c := &conn{reading: make(chan pooled), closing: make(chan struct{}), service: service, sender: sender, back: back}
	c.used.Store(time.Now().Unix())
	m.conns[sender.String()] = c
	go func() {
		defer out.Close()
		defer c.Close()
		if _, err := c.WriteTo(out); err != nil && err != io.EOF {
			log.Printf("%s to %s: %v", sender, service, err)
		}
	}()
	return c, nil
}

// A listener gets the datagrams for a service, whatever address they are for.
type listener struct {
	service string
	udp     *net.UDPConn
	config  net.ListenConfig
}

func (l *listener) readEvents(m *manager) {
	pool := newBufferPool(16, maxDatagram+controlSize)
	for {
		b := pool.Acquire()
		control := b.buf[maxDatagram:]
		b.buf = b.buf[:maxDatagram]
		n, nc, _, sender, err := l.udp.ReadMsgUDP(b.buf, control)
		if err != nil {
			m.events <- failure{fmt.Errorf("%w: %w", io.EOF, err)}
			return
		}
		b.buf = b.buf[:n]
		m.events <- &readEvent{listener: l, buf: b, control: control[:nc], sender: sender}
	}
}

type readEvent struct {
	listener *listener
	buf      *pooledBuffer
	control  []byte
	sender   net.Addr
}

func (e *readEvent) Handle(m *manager) error {
	q := m.queue(e.sender)
	if q == nil {
		original, err := originalAddr(e.control)
		if err != nil {
			return fmt.Errorf("original address: %w", err)
		}
		back, err := e.listener.config.ListenPacket(context.Background(), "udp", original.String())
		if err != nil {
			return err
		}
		q, err = m.newQueue(e.sender, e.listener.service, back)
		if err != nil {
			back.Close()
			return err
		}
	}
	log.Printf("%d bytes from %s to %s", len(e.buf.buf), e.sender, q.Service())
	q.Accept(e.buf)
	return nil
}

func originalAddr(control []byte) (*net.UDPAddr, error) {
	if len(control) < 8 {
		return nil, errors.New("no original address")
	}
	return &net.UDPAddr{IP: net.IP(control[4:8]), Port: int(binary.BigEndian.Uint16(control[2:]))}, nil
}
