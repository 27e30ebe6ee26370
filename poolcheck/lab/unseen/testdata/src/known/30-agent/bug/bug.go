// Package bug receives packets and queues them for processors.
package bug

import (
	"bytes"
	"io"
	"log"
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
	queued    int64
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
	for s.IsServing() {
		p := s.pool.Get().(*packet)
		n, err := s.transport.Read(p.bytes)
		if err == nil {
			p.n = n
			s.counters.size.Store(int64(n))
			select {
			case s.packets <- p:
				s.counters.processed.Add(1)
				s.updateQueued(1)
			default:
				s.counters.dropped.Add(1)
			}
		} else {
			s.counters.failed.Add(1)
		}
	}
	close(s.packets)
}

func (s *queueServer) updateQueued(d int64) { atomic.AddInt64(&s.queued, d) }

func (s *queueServer) IsServing() bool { return s.serving.Load() }

func (s *queueServer) Stop() {
	s.serving.Store(false)
	_ = s.transport.Close()
}

func (s *queueServer) Packets() chan *packet { return s.packets }

// Received is called when a packet from the queue has been processed.
func (s *queueServer) Received(p *packet) {
	s.updateQueued(-1)
	s.pool.Put(p)
}

type server interface {
	Serve()
	Stop()
	Packets() chan *packet
	Received(p *packet)
}

type handler interface {
	Process(in *bytes.Buffer) (bool, error)
}

type processor struct {
	server  server
	handler handler
	inputs  *sync.Pool
	running sync.WaitGroup
}

func newProcessor(s server, h handler, workers int) *processor {
	p := &processor{
		server:  s,
		handler: h,
		inputs:  &sync.Pool{New: func() any { return new(bytes.Buffer) }},
	}
	p.running.Add(workers)
	for range workers {
		go func() {
			p.process()
			p.running.Done()
		}()
	}
	return p
}

func (p *processor) Stop() {
	p.server.Stop()
	p.running.Wait()
}

func (p *processor) process() {
	for pkt := range p.server.Packets() {
		in := p.inputs.Get().(*bytes.Buffer)
		in.Write(pkt.content())
		if ok, err := p.handler.Process(in); !ok {
			log.Println("processing a packet:", err)
		}
		in.Reset()
		p.inputs.Put(in)
		p.server.Received(pkt)
	}
}
