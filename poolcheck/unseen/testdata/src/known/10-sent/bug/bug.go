// Package bug keeps track of the packets that were sent, until they are
// acknowledged.
package bug

import (
	"container/list"
	"fmt"
	"sync"
	"time"
)

type frame struct {
	onAcked func()
	data    []byte
}

type packet struct {
	number  int64
	level   uint8
	frames  []frame
	length  int
	sent    time.Time
	skipped bool
	probe   bool
}

var packets = sync.Pool{New: func() any { return &packet{} }}

func getPacket() *packet {
	p := packets.Get().(*packet)
	p.number = 0
	p.level = 0
	p.frames = nil
	p.length = 0
	p.sent = time.Time{}
	p.skipped = false
	p.probe = false
	return p
}

func putPacket(p *packet) { packets.Put(p) }

type history struct {
	outstanding *list.List
	others      *list.List
	byNumber    map[int64]*list.Element
	highest     int64
}

func newHistory() *history {
	return &history{list.New(), list.New(), make(map[int64]*list.Element), -1}
}

func (h *history) sentPacket(p *packet, eliciting bool) {
	if p.number <= h.highest {
		panic("numbers must grow")
	}
	for n := h.highest + 1; n < p.number; n++ {
		h.byNumber[n] = h.others.PushBack(&packet{number: n, level: p.level, sent: p.sent, skipped: true})
	}
	h.highest = p.number
	if eliciting {
		if !p.probe {
			h.byNumber[p.number] = h.outstanding.PushBack(p)
		} else {
			h.byNumber[p.number] = h.others.PushBack(p)
		}
	}
}

func (h *history) remove(number int64) (*packet, error) {
	el, ok := h.byNumber[number]
	if !ok {
		return nil, fmt.Errorf("packet %d not found", number)
	}
	h.outstanding.Remove(el)
	h.others.Remove(el)
	delete(h.byNumber, number)
	return el.Value.(*packet), nil
}

type handler struct {
	bytesSent int
	inFlight  int
	history   *history
}

func (h *handler) account(p *packet) bool {
	eliciting := len(p.frames) > 0
	if eliciting {
		h.inFlight += p.length
	}
	return eliciting
}

func (h *handler) sentPacket(p *packet) {
	h.bytesSent += p.length
	eliciting := h.account(p)
	h.history.sentPacket(p, eliciting)
}

func (h *handler) receivedAck(numbers []int64) error {
	for _, n := range numbers {
		p, err := h.history.remove(n)
		if err != nil {
			return err
		}
		for _, f := range p.frames {
			f.onAcked()
		}
		h.inFlight -= p.length
		if !p.skipped {
			putPacket(p)
		}
	}
	return nil
}

func (h *handler) send(number int64, frames []frame, write func([]byte) error) error {
	p := getPacket()
	p.number = number
	p.frames = frames
	p.sent = time.Now()
	for _, f := range frames {
		p.length += len(f.data)
		if err := write(f.data); err != nil {
			putPacket(p)
			return err
		}
	}
	h.sentPacket(p)
	return nil
}
