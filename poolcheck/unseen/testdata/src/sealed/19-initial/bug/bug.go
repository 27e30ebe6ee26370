// Package bug accepts sessions over UDP. A client that is not known yet has to
// send back a token first.
package bug

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"log"
	"net"
	"sync"
	"sync/atomic"
)

const (
	maxPacketSize = 1452
	maxWaiting    = 32
	minID         = 8
)

const (
	kindInitial = iota
	kindData
	kindRetry
	kindRefused
)

// A packetBuffer has one owner at a time.
type packetBuffer struct{ data []byte }

var bufferPool = sync.Pool{New: func() any {
	return &packetBuffer{data: make([]byte, 0, maxPacketSize)}
}}

func getPacketBuffer() *packetBuffer {
	b := bufferPool.Get().(*packetBuffer)
	b.data = b.data[:0]
	return b
}

func (b *packetBuffer) release() {
	if cap(b.data) != maxPacketSize {
		panic("a packet buffer of the wrong size")
	}
	bufferPool.Put(b)
}

type receivedPacket struct {
	remote net.Addr
	data   []byte
	buffer *packetBuffer
}

// A header has slices of the packet that it was parsed from.
type header struct {
	kind     byte
	dst, src []byte
	token    []byte
	payload  []byte
}

func parseHeader(p []byte) (*header, error) {
	if len(p) == 0 {
		return nil, errors.New("empty packet")
	}
	h := &header{kind: p[0]}
	p = p[1:]
	for _, part := range []*[]byte{&h.dst, &h.src, &h.token} {
		if len(p) == 0 || len(p) <= int(p[0]) {
			return nil, errors.New("short packet")
		}
		*part = p[1 : 1+p[0]]
		p = p[1+p[0]:]
	}
	h.payload = p
	return h, nil
}

func appendHeader(dst []byte, kind byte, parts ...[]byte) []byte {
	dst = append(dst, kind)
	for _, part := range parts {
		dst = append(dst, byte(len(part)))
		dst = append(dst, part...)
	}
	return dst
}

// A session counts what it gets.
type session struct {
	mu    sync.Mutex
	bytes int
}

func (s *session) handlePacket(p *receivedPacket, h *header) {
	s.mu.Lock()
	s.bytes += len(h.payload)
	s.mu.Unlock()
	p.buffer.release()
}

type server struct {
	conn    net.PacketConn
	key     []byte
	packets chan *receivedPacket
	accept  chan *session
	waiting atomic.Int32

	sessions map[string]*session // only run uses it
}

func newServer(conn net.PacketConn, key []byte) *server {
	return &server{
		conn:     conn,
		key:      key,
		packets:  make(chan *receivedPacket, 256),
		accept:   make(chan *session, maxWaiting),
		sessions: make(map[string]*session),
	}
}

// listen reads packets until the connection is closed.
func (s *server) listen() error {
	defer close(s.packets)
	for {
		b := getPacketBuffer()
		n, addr, err := s.conn.ReadFrom(b.data[:maxPacketSize])
		if err != nil {
			b.release()
			return err
		}
		p := &receivedPacket{remote: addr, data: b.data[:n], buffer: b}
		select {
		case s.packets <- p:
		default:
			b.release()
		}
	}
}

func (s *server) run() {
	for p := range s.packets {
		if inUse := s.handlePacket(p); !inUse {
			p.buffer.release()
		}
	}
}

// handlePacket tells whether the buffer is still in use.
func (s *server) handlePacket(p *receivedPacket) bool {
	h, err := parseHeader(p.data)
	if err != nil {
		log.Printf("packet of %s: %v", p.remote, err)
		return false
	}
	if sess, ok := s.sessions[string(h.dst)]; ok {
		sess.handlePacket(p, h)
		return true
	}
	if h.kind != kindInitial {
		return false
	}
	// From here on the buffer is up to handleInitial.
	if err := s.handleInitial(p, h); err != nil {
		log.Printf("initial packet of %s: %v", p.remote, err)
	}
	return true
}

func (s *server) handleInitial(p *receivedPacket, h *header) error {
	if len(h.dst) < minID {
		p.buffer.release()
		return errors.New("the ID is too short")
	}
	if !hmac.Equal(h.token, s.tokenFor(p.remote)) {
		go func() {
			defer p.buffer.release()
			if err := s.reply(p.remote, kindRetry, h, s.tokenFor(p.remote)); err != nil {
				log.Printf("retry to %s: %v", p.remote, err)
			}
		}()
		return nil
	}
	if n := s.waiting.Load(); n >= maxWaiting {
		log.Printf("%d sessions wait, refusing %s", n, p.remote)
		go func() {
			if err := s.reply(p.remote, kindRefused, h, nil); err != nil {
				log.Printf("refusal to %s: %v", p.remote, err)
			}
		}()
		return nil
	}
	sess := new(session)
	s.sessions[string(h.dst)] = sess
	s.waiting.Add(1)
	s.accept <- sess
	sess.handlePacket(p, h)
	return nil
}

// next waits for a new session.
func (s *server) next() *session {
	sess := <-s.accept
	s.waiting.Add(-1)
	return sess
}

func (s *server) tokenFor(addr net.Addr) []byte {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(addr.String()))
	return m.Sum(nil)
}

// reply answers a packet with one of its own.
func (s *server) reply(addr net.Addr, kind byte, to *header, token []byte) error {
	b := getPacketBuffer()
	defer b.release()
	size := 4 + len(to.src) + len(to.dst) + len(token)
	if size > maxPacketSize {
		return errors.New("the answer is too large")
	}
	_, err := s.conn.WriteTo(appendHeader(b.data, kind, to.src, to.dst, token), addr)
	return err
}
