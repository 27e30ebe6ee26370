// Package fixed receives packets of a capture protocol and hands them to those who
// store and count them.
package fixed

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const maxPacket = 8192

// A packet is what was decoded. It shares no memory with what was received.
type packet struct {
	proto   uint32
	srcIP   string
	payload string
}

var errShort = errors.New("short packet")

func decode(msg []byte) (*packet, error) {
	if len(msg) < 14 || string(msg[:4]) != "HEP3" {
		return nil, errShort
	}
	return &packet{
		proto:   binary.BigEndian.Uint32(msg[6:10]),
		srcIP:   net.IP(msg[10:14]).String(),
		payload: string(msg[14:]),
	}, nil
}

type stats struct{ pkt, hep, dup, bad atomic.Uint64 }

// An Input receives packets. Its workers decode them.
type Input struct {
	received chan []byte
	toStore  chan *packet
	toCount  chan *packet
	buffer   *sync.Pool
	workers  sync.WaitGroup
	servers  sync.WaitGroup
	stopped  atomic.Bool
	stats    stats
}

func NewInput(db, prom chan *packet) *Input {
	return &Input{
		received: make(chan []byte, 40000),
		toStore:  db,
		toCount:  prom,
		buffer:   &sync.Pool{New: func() any { return make([]byte, maxPacket) }},
	}
}

// Run serves until End is called.
func (in *Input) Run(workers int, uc net.PacketConn, ln *net.TCPListener) {
	for range workers {
		in.workers.Add(1)
		go in.worker()
	}
	in.servers.Add(2)
	go in.serveUDP(uc)
	go in.serveTCP(ln)
	in.workers.Wait()
}

func (in *Input) End() {
	in.stopped.Store(true)
	in.servers.Wait()
	close(in.received)
}

func (in *Input) serveUDP(uc net.PacketConn) {
	defer in.servers.Done()
	for !in.stopped.Load() {
		uc.SetReadDeadline(time.Now().Add(time.Second))
		buf := in.buffer.Get().([]byte)
		n, _, err := uc.ReadFrom(buf)
		if err != nil {
			in.buffer.Put(buf)
			var ne net.Error
			if errors.As(err, &ne) && ne.Timeout() {
				continue
			}
			log.Print(err)
			return
		} else if n >= maxPacket {
			log.Printf("too big packet with %d bytes", n)
			in.stats.bad.Add(1)
			in.buffer.Put(buf)
			continue
		}
		in.received <- buf[:n]
		in.stats.pkt.Add(1)
	}
}

func (in *Input) serveTCP(ln *net.TCPListener) {
	defer in.servers.Done()
	defer ln.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	for !in.stopped.Load() {
		ln.SetDeadline(time.Now().Add(time.Second))
		conn, err := ln.Accept()
		if err != nil {
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			in.handleTCP(conn)
		}()
	}
}

func (in *Input) handleTCP(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for !in.stopped.Load() {
		head, err := r.Peek(6)
		if err != nil {
			return
		}
		size := binary.BigEndian.Uint16(head[4:])
		if size > maxPacket {
			log.Printf("too big packet with %d bytes", size)
			return
		}
		buf := in.buffer.Get().([]byte)
		n, err := io.ReadFull(r, buf[:size])
		if err != nil {
			in.stats.bad.Add(1)
			in.buffer.Put(buf)
			continue
		}
		in.received <- buf[:n]
		in.stats.pkt.Add(1)
	}
}

func (in *Input) worker() {
	defer in.workers.Done()
	warned := time.Now()
	for msg := range in.received {
		pkt, err := decode(msg)
		in.buffer.Put(msg[:maxPacket])
		if err != nil {
			in.stats.bad.Add(1)
			continue
		} else if pkt.proto == 0 {
			in.stats.dup.Add(1)
			continue
		}
		in.stats.hep.Add(1)

		select {
		case in.toCount <- pkt:
		default:
			if time.Since(warned) > time.Second {
				log.Print("overflowing metric channel")
			}
			warned = time.Now()
		}
		select {
		case in.toStore <- pkt:
		default:
			if time.Since(warned) > time.Second {
				log.Print("overflowing db channel")
			}
			warned = time.Now()
		}
	}
}
