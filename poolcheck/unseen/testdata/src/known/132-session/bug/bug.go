// Package bug is a connection of packets: each is sealed, and a session opens
// them one by one, in a goroutine of its own.
package bug

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	handleSize = 8
	nonceSize  = 12
)

var errTimeout = errors.New("timeout")

var stored = make(chan []byte, 32)

// getBytes gives an empty slice, one that was used before if there is any.
func getBytes() []byte {
	select {
	case b := <-stored:
		return b[:0]
	default:
		return nil
	}
}

// putBytes keeps a slice for getBytes if there is room.
func putBytes(b []byte) {
	select {
	case stored <- b:
	default:
	}
}

// seal gives the sealed text in a slice of getBytes.
func seal(key cipher.AEAD, text, nonce []byte) []byte {
	return key.Seal(getBytes(), nonce, text, nil)
}

// open gives the text in a slice of getBytes, even if it cannot be opened.
func open(key cipher.AEAD, sealed, nonce []byte) ([]byte, bool) {
	out := getBytes()
	text, err := key.Open(out, nonce, sealed, nil)
	if err != nil {
		return out, false
	}
	return text, true
}

type trafficPacket struct {
	handle  uint64
	nonce   [nonceSize]byte
	payload []byte
}

func (p *trafficPacket) decode(b []byte) bool {
	if len(b) < handleSize+nonceSize {
		return false
	}
	p.handle = binary.BigEndian.Uint64(b)
	copy(p.nonce[:], b[handleSize:])
	p.payload = append(getBytes(), b[handleSize+nonceSize:]...)
	return true
}

func (p *trafficPacket) encode() []byte {
	b := binary.BigEndian.AppendUint64(getBytes(), p.handle)
	b = append(b, p.nonce[:]...)
	return append(b, p.payload...)
}

type session struct {
	router      *router
	key         cipher.AEAD
	theirHandle uint64
	worker      chan func()
	recv        chan *trafficPacket

	// Only the worker uses these.
	myNonce, theirNonce uint64
	last                time.Time
	received, sent      uint64
}

// newSession starts a session, which lasts as long as the program.
func newSession(r *router, handle, theirHandle uint64, key cipher.AEAD) *session {
	s := &session{
		router:      r,
		key:         key,
		theirHandle: theirHandle,
		worker:      make(chan func(), 1),
		recv:        make(chan *trafficPacket, 32),
	}
	go s.work()
	r.mu.Lock()
	r.sessions[handle] = s
	r.mu.Unlock()
	return s
}

func (s *session) work() {
	for f := range s.worker {
		f()
	}
}

type router struct {
	mu       sync.Mutex
	sessions map[uint64]*session
	out      func(packet []byte) // puts the packet back when it is sent
}

// handleTraffic gives a packet from the network to its session.
func (r *router) handleTraffic(packet []byte) {
	defer putBytes(packet)
	var p trafficPacket
	if !p.decode(packet) {
		return
	}
	r.mu.Lock()
	s, ok := r.sessions[p.handle]
	r.mu.Unlock()
	if !ok {
		putBytes(p.payload)
		return
	}
	select {
	case s.recv <- &p:
	default:
		putBytes(p.payload)
	}
}

type conn struct {
	session       *session
	readDeadline  atomic.Value
	writeDeadline atomic.Value
}

// deadlineTimer gives a timer that ends at the deadline, if there is one.
func deadlineTimer(value *atomic.Value) *time.Timer {
	if t, ok := value.Load().(time.Time); ok {
		return time.NewTimer(time.Until(t))
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// Read waits for a packet, and copies its text to b.
func (c *conn) Read(b []byte) (int, error) {
	s := c.session
	timer := deadlineTimer(&c.readDeadline)
	defer timer.Stop()
	select {
	case <-timer.C:
		return 0, errTimeout
	case p := <-s.recv:
		defer putBytes(p.payload)
		var n int
		var err error
		done := make(chan struct{})
		job := func() {
			defer close(done)
			count := binary.BigEndian.Uint64(p.nonce[nonceSize-8:])
			if count <= s.theirNonce {
				err = errors.New("nonce was used before")
				return
			}
			text, ok := open(s.key, p.payload, p.nonce[:])
			defer putBytes(text)
			if !ok {
				err = errors.New("packet cannot be opened")
				return
			}
			n = copy(b, text)
			s.theirNonce = count
			s.last = time.Now()
			s.received += uint64(n)
		}
		select {
		case s.worker <- job:
		case <-timer.C:
			return 0, errTimeout
		}
		select {
		case <-done:
		case <-timer.C:
			return 0, errTimeout
		}
		if err != nil {
			return 0, err
		}
		return n, nil
	}
}

// Write seals b and sends it.
func (c *conn) Write(b []byte) (int, error) {
	s := c.session
	timer := deadlineTimer(&c.writeDeadline)
	defer timer.Stop()
	var packet []byte
	done := make(chan struct{})
	job := func() {
		defer close(done)
		p := trafficPacket{handle: s.theirHandle}
		s.myNonce++
		binary.BigEndian.PutUint64(p.nonce[nonceSize-8:], s.myNonce)
		p.payload = seal(s.key, b, p.nonce[:])
		defer putBytes(p.payload)
		packet = p.encode()
		s.sent += uint64(len(b))
	}
	select {
	case s.worker <- job:
	case <-timer.C:
		return 0, errTimeout
	}
	select {
	case <-done:
	case <-timer.C:
		return 0, errTimeout
	}
	s.router.out(packet)
	return len(b), nil
}
