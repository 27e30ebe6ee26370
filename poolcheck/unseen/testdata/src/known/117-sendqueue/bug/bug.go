// Package bug sends the packets of sessions, from a queue that is filled while a
// session is locked and sent when it is not.
package bug

import (
	"encoding/binary"
	"hash/crc32"
	"net"
	"sync"
	"sync/atomic"
)

const (
	mtuLimit  = 1500
	nonceSize = 16
	headSize  = nonceSize + 4
)

// packetBufs has buffers for packets.
var packetBufs = sync.Pool{New: func() any { return make([]byte, mtuLimit) }}

var sentPackets, sentBytes atomic.Uint64

// A message is a packet to send.
type message struct {
	buffers [][]byte
	addr    net.Addr
}

// A guard makes packets from which lost ones can be restored. They are good until
// the next call.
type guard struct {
	shards int
	count  int
	parity []byte
}

func (f *guard) encode(buf []byte) [][]byte {
	if f.count == 0 {
		f.parity = f.parity[:0]
	}
	for len(f.parity) < len(buf) {
		f.parity = append(f.parity, 0)
	}
	for i, c := range buf {
		f.parity[i] ^= c
	}
	if f.count++; f.count < f.shards {
		return nil
	}
	f.count = 0
	return [][]byte{f.parity}
}

// A Session is a stream of packets to one address.
type Session struct {
	mu       sync.Mutex
	conn     net.PacketConn
	listener *Listener // nil if the connection belongs to the session
	remote   net.Addr
	guard    *guard
	copies   int
	nonce    uint64

	queue  []message
	queues chan []message

	closed    chan struct{}
	closeOnce sync.Once
	failures  chan error
}

func NewSession(conn net.PacketConn, l *Listener, remote net.Addr, copies int) *Session {
	s := &Session{
		conn: conn, listener: l, remote: remote, copies: copies,
		guard:    &guard{shards: 3},
		queues:   make(chan []message),
		closed:   make(chan struct{}),
		failures: make(chan error, 1),
	}
	if l == nil {
		go s.sendLoop()
	}
	return s
}

// Send sends packets.
func (s *Session) Send(packets ...[]byte) {
	s.mu.Lock()
	for _, p := range packets {
		buf := make([]byte, headSize, headSize+len(p))
		s.output(append(buf, p...))
	}
	s.mu.Unlock()
	s.flush()
}

// output queues a packet and what protects it.
func (s *Session) output(buf []byte) {
	s.nonce++
	binary.LittleEndian.PutUint64(buf, s.nonce)
	binary.LittleEndian.PutUint32(buf[nonceSize:], crc32.ChecksumIEEE(buf[headSize:]))
	extra := s.guard.encode(buf)

	var msg message
	for range s.copies + 1 {
		pkt := packetBufs.Get().([]byte)[:len(buf)]
		copy(pkt, buf)
		msg.buffers = [][]byte{pkt}
		msg.addr = s.remote
		s.queue = append(s.queue, msg)
	}
	for k := range extra {
		pkt := packetBufs.Get().([]byte)[:len(extra[k])]
		copy(pkt, extra[k])
		msg.buffers = [][]byte{pkt}
		msg.addr = s.remote
		s.queue = append(s.queue, msg)
	}
}

// flush hands the queue on.
func (s *Session) flush() {
	s.mu.Lock()
	queue := s.queue
	s.queue = nil
	s.mu.Unlock()
	if len(queue) == 0 {
		return
	}
	if s.listener != nil {
		select {
		case s.listener.queues <- queue:
		case <-s.listener.closed:
		case <-s.closed:
		}
		return
	}
	select {
	case s.queues <- queue:
	case <-s.closed:
	}
}

func (s *Session) Close() { s.closeOnce.Do(func() { close(s.closed) }) }

func (s *Session) fail(err error) {
	select {
	case s.failures <- err:
	default:
	}
	s.Close() // nobody takes the queue any more
}

func (s *Session) sendLoop() {
	for {
		select {
		case queue := <-s.queues:
			sent := 0
			for k := range queue {
				n, err := s.conn.WriteTo(queue[k].buffers[0], queue[k].addr)
				if err != nil {
					s.fail(err)
					return
				}
				sent += n
			}
			sentPackets.Add(uint64(len(queue)))
			sentBytes.Add(uint64(sent))
		case <-s.closed:
			return
		}
	}
}

// A Listener has a connection that several sessions send through.
type Listener struct {
	conn      net.PacketConn
	queues    chan []message
	closed    chan struct{}
	closeOnce sync.Once
}

func Listen(conn net.PacketConn) *Listener {
	l := &Listener{conn: conn, queues: make(chan []message), closed: make(chan struct{})}
	go l.sendLoop()
	return l
}

func (l *Listener) Close() { l.closeOnce.Do(func() { close(l.closed) }) }

func (l *Listener) sendLoop() {
	for {
		select {
		case queue := <-l.queues:
			sent := 0
			for k := range queue {
				n, err := l.conn.WriteTo(queue[k].buffers[0], queue[k].addr)
				if err != nil {
					l.Close()
					return
				}
				sent += n
				packetBufs.Put(queue[k].buffers[0])
			}
			sentPackets.Add(uint64(len(queue)))
			sentBytes.Add(uint64(sent))
		case <-l.closed:
			return
		}
	}
}
