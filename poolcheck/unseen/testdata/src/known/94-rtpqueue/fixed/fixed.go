// Package fixed keeps the packets of a media stream until they are forwarded.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"log"
	"sync"
	"sync/atomic"
)

const (
	packetHeader = 12
	maxStored    = 512
	restartGap   = 1 << 14
)

var errShortPacket = errors.New("packet has no header")

var extPacketPool = &sync.Pool{
	New: func() any { return &extPacket{} },
}

// An extPacket is a packet with what is known of it.
type extPacket struct {
	arrival  int64
	sequence uint64
	keyFrame bool
	restart  bool
	slot     int
	raw      []byte
}

// releaseExtPacket gives a packet back after it was forwarded or dropped.
func releaseExtPacket(ep *extPacket) {
	if ep == nil {
		return
	}
	*ep = extPacket{}
	extPacketPool.Put(ep)
}

// A deque has the packets that wait.
type deque struct{ items []*extPacket }

func (q *deque) Len() int { return len(q.items) }

func (q *deque) PushBack(ep *extPacket) { q.items = append(q.items, ep) }

func (q *deque) PopFront() *extPacket {
	ep := q.items[0]
	q.items[0] = nil
	q.items = q.items[1:]
	return ep
}

func (q *deque) Clear() {
	clear(q.items)
	q.items = q.items[:0]
}

// A bucket stores the last packets, for those who ask for them again.
type bucket struct {
	stored  [maxStored][]byte
	numbers [maxStored]uint64
}

func (b *bucket) Add(raw []byte, sequence uint64) int {
	slot := int(sequence % maxStored)
	b.stored[slot] = append(b.stored[slot][:0], raw...)
	b.numbers[slot] = sequence
	return slot
}

// Get copies a packet into dst. It returns false if it has been overwritten.
func (b *bucket) Get(dst []byte, slot int, sequence uint64) (int, bool) {
	if b.numbers[slot] != sequence || len(dst) < len(b.stored[slot]) {
		return 0, false
	}
	return copy(dst, b.stored[slot]), true
}

func (b *bucket) Resync() { clear(b.numbers[:]) }

// A mediaBuffer has the packets of a stream between those who receive them and the
// one who forwards them.
type mediaBuffer struct {
	mu        sync.RWMutex
	readCond  *sync.Cond
	bucket    bucket
	queue     deque
	highest   uint64
	started   bool
	closed    atomic.Bool
	closeOnce sync.Once
	onClose   func()
}

func newMediaBuffer(onClose func()) *mediaBuffer {
	b := &mediaBuffer{onClose: onClose}
	b.readCond = sync.NewCond(&b.mu)
	return b
}

// Write takes a packet that was received.
func (b *mediaBuffer) Write(raw []byte, arrival int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed.Load() {
		return 0, io.EOF
	}
	if len(raw) < packetHeader {
		return 0, errShortPacket
	}
	b.calc(raw, arrival)
	b.readCond.Broadcast()
	return len(raw), nil
}

// extend returns the sequence number of a packet with all its bits, and whether the
// stream has begun anew.
func (b *mediaBuffer) extend(low uint16) (sequence uint64, restart bool) {
	sequence = b.highest&^0xffff | uint64(low)
	diff := int16(low - uint16(b.highest))
	switch {
	case !b.started:
		b.started = true
	case diff > restartGap || diff < -restartGap:
		restart = true
		sequence += 1 << 16
	case diff > 0 && sequence < b.highest:
		sequence += 1 << 16
	case diff < 0 && sequence > b.highest:
		sequence -= 1 << 16
	}
	b.highest = max(b.highest, sequence)
	return sequence, restart
}

func (b *mediaBuffer) calc(raw []byte, arrival int64) {
	sequence, restart := b.extend(binary.BigEndian.Uint16(raw[2:]))
	if restart {
		log.Println("the stream begins anew")
		b.bucket.Resync()
		b.flushLocked()
	}
	if len(raw) == packetHeader {
		return
	}
	slot := b.bucket.Add(raw, sequence)
	ep := b.newExtPacket(raw, arrival, sequence, slot, restart)
	if ep == nil {
		return
	}
	b.queue.PushBack(ep)
}

func (b *mediaBuffer) newExtPacket(raw []byte, arrival int64, sequence uint64, slot int, restart bool) *extPacket {
	ep := extPacketPool.Get().(*extPacket)
	*ep = extPacket{arrival: arrival, sequence: sequence, restart: restart, slot: slot}
	switch frame := raw[packetHeader]; {
	case frame>>6 == 3:
		releaseExtPacket(ep)
		return nil
	case frame&1 == 0:
		ep.keyFrame = true
	}
	return ep
}

// ReadExtended waits for a packet and copies it into buf. The packet is to be given
// back.
func (b *mediaBuffer) ReadExtended(buf []byte) (*extPacket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.closed.Load() {
			return nil, io.EOF
		}
		if b.queue.Len() > 0 {
			ep := b.queue.PopFront()
			if b.patch(ep, buf) {
				return ep, nil
			}
			releaseExtPacket(ep)
			continue
		}
		b.readCond.Wait()
	}
}

func (b *mediaBuffer) patch(ep *extPacket, buf []byte) bool {
	n, ok := b.bucket.Get(buf, ep.slot, ep.sequence)
	if ok {
		ep.raw = buf[:n]
	}
	return ok
}

func (b *mediaBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
}

func (b *mediaBuffer) flushLocked() {
	for b.queue.Len() > 0 {
		releaseExtPacket(b.queue.PopFront())
	}
	b.queue.Clear()
}

// Close ends the stream.
func (b *mediaBuffer) Close() error {
	b.closeOnce.Do(func() {
		b.closed.Store(true)

		b.mu.RLock()
		b.readCond.Broadcast()
		b.mu.RUnlock()

		if b.onClose != nil {
			b.onClose()
		}

		go b.flush()
	})
	return nil
}

type sender interface {
	ForwardPacket(ep *extPacket) error
}

// forward sends the packets of the stream until it is closed.
func forward(b *mediaBuffer, to sender) (sent int) {
	buf := make([]byte, 1500)
	for {
		ep, err := b.ReadExtended(buf)
		if err != nil {
			return sent
		}
		if err := to.ForwardPacket(ep); err != nil {
			log.Println("forwarding a packet:", err)
		} else {
			sent++
		}
		releaseExtPacket(ep)
	}
}
