// Package bug has many streams on one connection.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"net"
	"sync"
)

const (
	headSize = 8
	largest  = 1 << 16
)

const (
	cmdSyn = iota
	cmdData
)

var errSize = errors.New("slice of a wrong size")

// An allocator has a pool for each power of two.
type allocator struct{ pools []sync.Pool }

func newAllocator() *allocator {
	a := &allocator{pools: make([]sync.Pool, 17)}
	for i := range a.pools {
		a.pools[i].New = func() any { return make([]byte, 1<<i) }
	}
	return a
}

// Get returns nil if there are no slices of the size.
func (a *allocator) Get(size int) []byte {
	if size <= 0 || size > largest {
		return nil
	}
	return a.pools[bits.Len(uint(size-1))].Get().([]byte)[:size]
}

func (a *allocator) Put(p []byte) error {
	i := bits.Len(uint(cap(p))) - 1
	if cap(p) == 0 || cap(p) > largest || cap(p) != 1<<i {
		return errSize
	}
	a.pools[i].Put(p)
	return nil
}

var slices = newAllocator()

type head [headSize]byte

func (h head) cmd() byte  { return h[1] }
func (h head) size() int  { return int(binary.LittleEndian.Uint16(h[2:])) }
func (h head) id() uint32 { return binary.LittleEndian.Uint32(h[4:]) }

type stream struct {
	id      uint32
	session *session

	mu      sync.Mutex
	buffers [][]byte
	heads   [][]byte // the buffers as they were received

}

func newStream(id uint32, s *session) *stream {
	return &stream{
		id:      id,
		session: s,
	}
}

func (s *stream) push(p []byte) {
	s.mu.Lock()
	s.buffers = append(s.buffers, p)
	s.heads = append(s.heads, p)
	s.mu.Unlock()
}

func (s *stream) Read(p []byte) int {
	s.mu.Lock()
	n := 0
	if len(s.buffers) > 0 {
		n = copy(p, s.buffers[0])
		s.buffers[0] = s.buffers[0][n:]
		if len(s.buffers[0]) == 0 {
			s.buffers = s.buffers[1:]
			slices.Put(s.heads[0])
			s.heads = s.heads[1:]
		}
	}
	s.mu.Unlock()
	return n
}

func (s *stream) Close() { s.session.closed(s) }

// recycle puts back what was not read.
func (s *stream) recycle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.buffers {
		slices.Put(s.heads[i])
	}
	s.buffers, s.heads = nil, nil
}

type session struct {
	conn    net.Conn
	accepts chan *stream

	mu      sync.Mutex
	streams map[uint32]*stream

	die     chan struct{}
	dieOnce sync.Once
	err     error
}

func (s *session) closed(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.recycle()
	delete(s.streams, st.id)
}

func (s *session) fail(err error) {
	s.dieOnce.Do(func() {
		s.err = err
		close(s.die)
		s.conn.Close()
	})
}

var errProtocol = errors.New("protocol violated")

// receive reads frames.
func (s *session) receive() {
	var h head
	for {
		if _, err := io.ReadFull(s.conn, h[:]); err != nil {
			s.fail(err)
			return
		}
		switch h.cmd() {
		case cmdSyn:
			s.mu.Lock()
			if _, ok := s.streams[h.id()]; !ok {
				st := newStream(h.id(), s)
				s.streams[st.id] = st
				select {
				case s.accepts <- st:
				case <-s.die:
				}
			}
			s.mu.Unlock()
		case cmdData:
			if h.size() > 0 {
				p := slices.Get(h.size())
				if _, err := io.ReadFull(s.conn, p); err == nil {
					s.mu.Lock()
					if st, ok := s.streams[h.id()]; ok {
						st.push(p)
					}
					s.mu.Unlock()
				} else {
					s.fail(err)
					return
				}
			}
		default:
			s.fail(errProtocol)
			return
		}
	}
}
