package oct004

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

type datagram struct {
	buf    *[2048]byte
	n      int
	addr   net.Addr
	pooled bool
	refs   atomic.Int32
}

var datagrams = sync.Pool{New: func() any { return &datagram{buf: new([2048]byte)} }}

func getDatagram() *datagram  { return datagrams.Get().(*datagram) }
func putDatagram(d *datagram) { d.addr = nil; datagrams.Put(d) }

type pipeline struct {
	conn    net.PacketConn
	queue   chan *datagram
	other   chan *datagram
	mu      sync.Mutex
	pending map[uint32]*datagram
	last    *datagram
}

// bad: bytes that could not be read into break nothing.
func (r *pipeline) read() error {
	for {
		d := getDatagram() // want "OCT004: d is not released on every path"
		n, addr, err := r.conn.ReadFrom(d.buf[:])
		if err != nil {
			return err
		}
		d.n, d.addr = n, addr
		r.queue <- d
	}
}

// ok: put back before anything else can happen.
func (r *pipeline) writeRight(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case d, ok := <-r.queue:
			if !ok {
				return nil
			}
			_, err := r.conn.WriteTo(d.buf[:d.n], d.addr)
			putDatagram(d)
			if err != nil {
				return err
			}
		}
	}
}

// ok: what is empty goes on to somebody else.
func (r *pipeline) sort() {
	for d := range r.queue {
		if d.n == 0 {
			r.other <- d
			continue
		}
		r.conn.WriteTo(d.buf[:d.n], d.addr)
		putDatagram(d)
	}
}

// ok: a nil ends the loop.
func (r *pipeline) untilNil() {
	for d := range r.queue {
		if d == nil {
			return
		}
		putDatagram(d)
	}
}
