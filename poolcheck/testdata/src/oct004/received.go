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

// ok: a closed channel has nothing.
func (r *pipeline) writeOne() error {
	d, ok := <-r.queue
	if !ok {
		return net.ErrClosed
	}
	defer putDatagram(d)
	_, err := r.conn.WriteTo(d.buf[:d.n], d.addr)
	return err
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

// ok: the last one stays in a field.
func (r *pipeline) keepLast() {
	for d := range r.queue {
		if d.n == 0 {
			r.last = d
			return
		}
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

// ok: not every one is from the pool.
func (r *pipeline) onlyPooled() {
	for d := range r.queue {
		r.conn.WriteTo(d.buf[:d.n], d.addr)
		if d.pooled {
			putDatagram(d)
		}
	}
}

// ok: others may have references.
func (r *pipeline) lastReference() {
	for d := range r.queue {
		r.conn.WriteTo(d.buf[:d.n], d.addr)
		if d.refs.Add(-1) == 0 {
			putDatagram(d)
		}
	}
}

// ok: nothing here is known to go back to a pool.
func (r *pipeline) count() (n int) {
	for d := range r.other {
		n += d.n
	}
	return n
}

// ok: what is in the map stays there until it is sent.
func (r *pipeline) resend(id uint32) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, ok := r.pending[id]
	if !ok {
		return net.ErrClosed
	}
	if _, err := r.conn.WriteTo(d.buf[:d.n], d.addr); err != nil {
		return err
	}
	delete(r.pending, id)
	putDatagram(d)
	return nil
}

// ok: there was none.
func (r *pipeline) forget(id uint32) bool {
	d, ok := r.pending[id]
	delete(r.pending, id)
	if !ok {
		return false
	}
	putDatagram(d)
	return true
}
