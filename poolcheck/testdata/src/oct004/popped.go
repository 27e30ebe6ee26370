package oct004

import (
	"io"
	"sync"
)

type popPacket struct {
	data []byte
	n    int
}

var popPackets = sync.Pool{New: func() any { return new(popPacket) }}

// A popQueue has packets that wait to be read.
type popQueue struct {
	mu      sync.Mutex
	waiting []*popPacket
	history []*popPacket
}

func (q *popQueue) push(p []byte) {
	pkt := popPackets.Get().(*popPacket)
	pkt.data = append(pkt.data[:0], p...)
	q.mu.Lock()
	q.waiting = append(q.waiting, pkt)
	q.mu.Unlock()
}

// bad: a packet that cannot be written is off the list, and nowhere else.
func (q *popQueue) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.mu.Unlock()
			return total, nil
		}
		pkt := q.waiting[0] // want "OCT004: .* is not released on every path"
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		n, err := w.Write(pkt.data)
		if err != nil {
			return total, err
		}
		total += int64(n)
		popPackets.Put(pkt)
	}
}

// bad: WriteTo shows that what is taken off the list is to be released.
func (q *popQueue) Read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return 0, io.EOF
	}
	pkt := q.waiting[0] // want "OCT004: .* is not released on every path"
	q.waiting = q.waiting[1:]
	return copy(p, pkt.data), nil
}

// ok: the caller has it.
func (q *popQueue) next() *popPacket {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	last := len(q.waiting) - 1
	pkt := q.waiting[last]
	q.waiting = q.waiting[:last]
	return pkt
}

// ok: it is on another list.
func (q *popQueue) move() {
	pkt := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.history = append(q.history, pkt)
}

// ok: it is put back first.
func (q *popQueue) skip() {
	popPackets.Put(q.waiting[0])
	q.waiting = q.waiting[1:]
}

// ok: what is on this list is nobody's to release.
func (q *popQueue) forget() int {
	pkt := q.history[0]
	q.history = q.history[1:]
	return pkt.n
}

// A popPair has two lists, of what is left of each packet and of the packets.
type popPair struct {
	rest  [][]byte
	whole []*popPacket
}

// ok: there is one in both or in none.
func (q *popPair) drain(w io.Writer) {
	for {
		var rest []byte
		var whole *popPacket
		if len(q.rest) > 0 {
			rest, whole = q.rest[0], q.whole[0]
			q.rest, q.whole = q.rest[1:], q.whole[1:]
		}
		if rest == nil {
			return
		}
		w.Write(rest)
		popPackets.Put(whole)
	}
}
