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

func putDatagram(d *datagram) { d.addr = nil; datagrams.Put(d) }

type pipeline struct {
	conn    net.PacketConn
	queue   chan *datagram
	other   chan *datagram
	mu      sync.Mutex
	pending map[uint32]*datagram
	last    *datagram
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
