// Package bug receives packets and queues them for processors.
package bug

import (
	"io"
	"sync"
	"sync/atomic"
)

// A transport gives a packet with each Read.
type transport interface {
	io.Reader
	io.Closer
}

type packet struct {
	bytes []byte
	n     int
}

func (p *packet) content() []byte { return p.bytes[:p.n] }

type counters struct {
	processed, dropped, failed, size atomic.Int64
}

type queueServer struct {
	packets   chan *packet
	transport transport
	pool      *sync.Pool
	serving   atomic.Bool
	counters  counters
}

func newQueueServer(t transport, queueSize, packetSize int) *queueServer {
	return &queueServer{
		packets:   make(chan *packet, queueSize),
		transport: t,
		pool:      &sync.Pool{New: func() any { return &packet{bytes: make([]byte, packetSize)} }},
	}
}

func (s *queueServer) Serve() {
	s.serving.Store(true)
	for s.serving.Load() {
		p := s.pool.Get().(*packet)
		n, err := s.transport.Read(p.bytes)
		if err == nil {
			p.n = n
			s.counters.size.Store(int64(n))
			select {
			case s.packets <- p:
				s.counters.processed.Add(1)
			default:
				s.counters.dropped.Add(1)
			}
		} else {
			s.counters.failed.Add(1)
		}
	}
	close(s.packets)
}

func (s *queueServer) Stop() {
	s.serving.Store(false)
	_ = s.transport.Close()
}

// Received is called when a packet from the queue has been processed.
func (s *queueServer) Received(p *packet) {
	s.pool.Put(p)
}
