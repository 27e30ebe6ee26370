// Package bug hands the messages of one connection to the streams that they
// belong to.
package bug

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"sync"
	"time"

	pool "github.com/libp2p/go-buffer-pool"
)

const (
	tagNew = iota
	tagData
	tagClose
	tagReset
	maxMessage     = 1 << 20
	receiveTimeout = 5 * time.Second
)

type stream struct {
	name   string
	in     chan []byte
	reset  chan struct{}
	mu     sync.Mutex
	closed bool
}

func (s *stream) Reset() { close(s.reset) }

type session struct {
	r        *bufio.Reader
	w        io.Writer
	mu       sync.Mutex
	streams  map[uint64]*stream
	accepted chan *stream
	shutdown chan struct{}
	err      error
}

func (s *session) readNext() ([]byte, error) {
	n, err := binary.ReadUvarint(s.r)
	if err != nil {
		return nil, err
	}
	if n > maxMessage {
		return nil, errors.New("message too large")
	}
	if n == 0 {
		return nil, nil
	}
	buf := pool.Get(int(n))
	m, err := io.ReadFull(s.r, buf)
	if err != nil {
		pool.Put(buf)
		return nil, err
	}
	return buf[:m], nil
}

func (s *session) sendReset(id uint64) {
	s.w.Write(binary.AppendUvarint(nil, id<<3|tagReset))
}

func (s *session) handleIncoming() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if !timer.Stop() {
		<-timer.C
	}
	for {
		head, err := binary.ReadUvarint(s.r)
		if err != nil {
			s.err = err
			return
		}
		id := head >> 3
		b, err := s.readNext()
		if err != nil {
			s.err = err
			return
		}
		s.mu.Lock()
		st, ok := s.streams[id]
		s.mu.Unlock()

		switch head & 7 {
		case tagNew:
			if ok {
				s.err = errors.New("stream exists")
				return
			}
			st = &stream{name: string(b), in: make(chan []byte, 8), reset: make(chan struct{})}
			s.mu.Lock()
			s.streams[id] = st
			s.mu.Unlock()
			select {
			case s.accepted <- st:
			case <-s.shutdown:
				return
			}
		case tagReset:
			if ok {
				st.Reset()
			}
		case tagClose:
			if !ok {
				continue
			}
			close(st.in)
		case tagData:
			if !ok {
				log.Printf("message for unknown stream %d dropped", id)
				go s.sendReset(id)
				continue
			}
			st.mu.Lock()
			closed := st.closed
			st.mu.Unlock()
			if closed {
				log.Printf("message for closed stream %d dropped", id)
				go s.sendReset(id)
				continue
			}
			timer.Reset(receiveTimeout)
			select {
			case st.in <- b:
			case <-st.reset:
			case <-timer.C:
				log.Printf("stream %d did not take its message", id)
				st.Reset()
				continue
			case <-s.shutdown:
				return
			}
			if !timer.Stop() {
				<-timer.C
			}
		}
	}
}
