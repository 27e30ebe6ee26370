// Package bug waits for packets that tell peers from each other, and forwards
// what they send.
package bug

import (
	"context"
	"encoding/json"
	"log"
	"net"
	"sync"
	"time"

	"github.com/fatedier/golib/pool"
)

type hello struct {
	ID       string
	Response bool
}

func decode(p, key []byte, v any) error {
	for i := range p {
		p[i] ^= key[i%len(key)]
	}
	return json.Unmarshal(p, v)
}

func encode(v any, key []byte) ([]byte, error) {
	p, err := json.Marshal(v)
	for i := range p {
		p[i] ^= key[i%len(key)]
	}
	return p, err
}

func waitHello(ctx context.Context, conn *net.UDPConn, id string, key []byte, timeout time.Duration, sender bool) (*net.UDPAddr, error) {
	for {
		buf := pool.GetBuf(1024)
		_ = conn.SetReadDeadline(time.Now().Add(timeout))
		n, from, err := conn.ReadFromUDP(buf)
		_ = conn.SetReadDeadline(time.Time{})
		if err != nil {
			return nil, err
		}
		var h hello
		if err := decode(buf[:n], key, &h); err != nil {
			log.Printf("decoding: %v", err)
			continue
		}
		pool.PutBuf(buf)

		if h.ID != id {
			log.Printf("got %q, want %q", h.ID, id)
			continue
		}
		if !h.Response {
			if sender {
				continue
			}
			h.Response = true
			out, err := encode(&h, key)
			if err != nil {
				log.Printf("encoding: %v", err)
				continue
			}
			_, _ = conn.WriteToUDP(out, from)
		}
		return from, nil
	}
}

type packet struct {
	content string
	from    *net.UDPAddr
}

func newPacket(p []byte, from *net.UDPAddr) *packet { return &packet{string(p), from} }

func forward(dst *net.UDPAddr, in <-chan *packet, out chan<- *packet, bufSize int) {
	var mu sync.Mutex
	conns := make(map[string]*net.UDPConn)

	reply := func(from *net.UDPAddr, conn *net.UDPConn) {
		defer func() {
			mu.Lock()
			delete(conns, from.String())
			mu.Unlock()
			conn.Close()
		}()

		buf := pool.GetBuf(bufSize)
		for {
			_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
			n, _, err := conn.ReadFromUDP(buf)
			if err != nil {
				return
			}
			select {
			case out <- newPacket(buf[:n], from):
			default:
			}
		}
	}

	for p := range in {
		mu.Lock()
		conn, ok := conns[p.from.String()]
		if !ok {
			var err error
			if conn, err = net.DialUDP("udp", nil, dst); err != nil {
				mu.Unlock()
				continue
			}
			conns[p.from.String()] = conn
		}
		mu.Unlock()
		if _, err := conn.Write([]byte(p.content)); err != nil {
			conn.Close()
		}
		if !ok {
			go reply(p.from, conn)
		}
	}
}
