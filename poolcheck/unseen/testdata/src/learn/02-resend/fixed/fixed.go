// Package fixed sends batches over a connection and sends them again when the
// connection was lost before the receipts came.
package fixed

import (
	"encoding/binary"
	"net"
	"sync"
)

// A buffer is what a batch is serialized into.
type buffer struct{ data []byte }

func newBuffer(size int) *buffer        { return &buffer{data: make([]byte, 0, size)} }
func (b *buffer) clear()                { b.data = b.data[:0] }
func (b *buffer) write(p []byte)        { b.data = append(b.data, p...) }
func (b *buffer) writeUint32(n uint32)  { b.data = binary.BigEndian.AppendUint32(b.data, n) }
func (b *buffer) readableBytes() []byte { return b.data }

type connection struct {
	cnx    net.Conn
	writes chan *buffer
	closed chan struct{}
}

func newConnection(cnx net.Conn) *connection {
	return &connection{
		cnx:    cnx,
		writes: make(chan *buffer, 256),
		closed: make(chan struct{}),
	}
}

func (c *connection) run() {
	for {
		select {
		case <-c.closed:
			return
		case data := <-c.writes:
			if data == nil {
				return
			}
			c.internalWrite(data)
		}
	}
}

func (c *connection) internalWrite(data *buffer) {
	if _, err := c.cnx.Write(data.readableBytes()); err != nil {
		close(c.closed)
	}
}

func (c *connection) writeData(data *buffer) { c.writes <- data }

type pendingItem struct {
	batch *buffer
	seq   uint64
}

type producer struct {
	cnx     *connection
	pool    sync.Pool
	pending []*pendingItem
	nextSeq uint64
}

func newProducer() *producer {
	return &producer{pool: sync.Pool{New: func() any { return newBuffer(1024) }}}
}

func (p *producer) buffer() *buffer {
	b := p.pool.Get().(*buffer)
	b.clear()
	return b
}

func (p *producer) flush(messages [][]byte) {
	batch := p.buffer()
	for _, m := range messages {
		batch.writeUint32(uint32(len(m)))
		batch.write(m)
	}
	p.nextSeq++
	p.pending = append(p.pending, &pendingItem{batch: batch, seq: p.nextSeq})
	p.cnx.writeData(batch)
}

// reconnected sends what has no receipt yet over a new connection. The old one
// has ended by then.
func (p *producer) reconnected(cnx *connection) {
	p.cnx = cnx
	for _, item := range p.pending {
		p.cnx.writeData(item.batch)
	}
}

func (p *producer) receipt(seq uint64) {
	if len(p.pending) == 0 || p.pending[0].seq != seq {
		return
	}
	p.pool.Put(p.pending[0].batch)
	p.pending[0] = nil
	p.pending = p.pending[1:]
}
