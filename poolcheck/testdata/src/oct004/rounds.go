package oct004

import (
	"errors"
	"log"
	"net"
	"sync"
)

type parcelOfRound struct {
	data []byte
	to   net.Addr
}

var roundParcels = sync.Pool{New: func() any { return new(parcelOfRound) }}

func getRoundParcel() *parcelOfRound { return roundParcels.Get().(*parcelOfRound) }

func (p *parcelOfRound) recycle() {
	p.data = p.data[:0]
	roundParcels.Put(p)
}

type roundQueue struct {
	mu   sync.Mutex
	list []*parcelOfRound
	all  map[string][]*parcelOfRound
}

func (q *roundQueue) push(data []byte, to net.Addr) {
	p := getRoundParcel()
	p.data, p.to = append(p.data, data...), to
	q.mu.Lock()
	q.list = append(q.list, p)
	q.mu.Unlock()
}

func (q *roundQueue) pop() []*parcelOfRound {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list = nil
	return list
}

func (q *roundQueue) waiting() []*parcelOfRound {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.list
}

// bad: a parcel that cannot be sent is not put back.
func (q *roundQueue) send(conn net.PacketConn) {
	for _, p := range q.pop() { // want "OCT004: .* is not released on every path"
		if _, err := conn.WriteTo(p.data, p.to); err != nil {
			log.Print(err)
			continue
		}
		p.recycle()
	}
}

// A roundSource has parcels to deliver.
type roundSource interface {
	ReadBatch() ([]*parcelOfRound, error)
}

var errNoRound = errors.New("no source")

// bad: neither is one that is empty.
func deliverRounds(src roundSource, conn net.PacketConn) error {
	if src == nil {
		return errNoRound
	}
	for {
		list, err := src.ReadBatch() // want "OCT004: .* is not released on every path"
		if err != nil {
			return err
		}
		for _, p := range list {
			if len(p.data) == 0 {
				continue
			}
			conn.WriteTo(p.data, p.to)
			p.recycle()
		}
	}
}

// ok: those that cannot be sent wait again.
func (q *roundQueue) sendOrKeep(conn net.PacketConn) {
	for _, p := range q.pop() {
		if _, err := conn.WriteTo(p.data, p.to); err != nil {
			q.mu.Lock()
			q.list = append(q.list, p)
			q.mu.Unlock()
			continue
		}
		p.recycle()
	}
}

// ok: the list is still the queue's.
func (q *roundQueue) expire(to net.Addr) {
	for _, p := range q.waiting() {
		if p.to == to {
			p.recycle()
		}
	}
}

// ok: there are none in some places.
func (q *roundQueue) discard() {
	for _, p := range q.pop() {
		if p != nil {
			p.recycle()
		}
	}
}

// ok: nothing here is put back, so it is not known whose they are.
func (q *roundQueue) count() (n int) {
	for _, p := range q.pop() {
		n += len(p.data)
	}
	return n
}
