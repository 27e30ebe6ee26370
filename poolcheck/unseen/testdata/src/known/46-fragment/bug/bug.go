// Package bug sends the changed arguments of relayed calls in fragments.
package bug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
)

const (
	maxPayload = 64<<10 - 16
	chunkHead  = 2
	checksum   = 4
)

const (
	callReq = 3 + iota
	callReqContinue
)

type frame struct {
	id      uint32
	kind    byte
	size    uint16
	payload [maxPayload]byte
}

type framePool interface {
	Get() *frame
	Release(f *frame)
}

type syncFramePool struct{ pool sync.Pool }

func newFramePool() framePool {
	return &syncFramePool{sync.Pool{New: func() any { return new(frame) }}}
}

func (p *syncFramePool) Get() *frame      { return p.pool.Get().(*frame) }
func (p *syncFramePool) Release(f *frame) { p.pool.Put(f) }

// A fragment is a frame that is being written.
type fragment struct {
	frame *frame
	used  int
	chunk int // where the length of the last chunk is
}

func (f *fragment) begin() {
	f.chunk = f.used
	f.used += chunkHead
}

func (f *fragment) write(p []byte) int {
	n := copy(f.frame.payload[f.used:], p)
	f.used += n
	return n
}

func (f *fragment) finish(more bool) {
	binary.BigEndian.PutUint16(f.frame.payload[f.chunk:], uint16(f.used-f.chunk-chunkHead))
	if more {
		f.frame.payload[0] |= 1
	}
	sum := crc32.ChecksumIEEE(f.frame.payload[1+checksum : f.used])
	binary.BigEndian.PutUint32(f.frame.payload[1:], sum)
}

// A sender makes and sends fragments.
type sender interface {
	open(initial bool) (*fragment, error)
	flush(f *fragment) error
}

type fragmentWriter struct {
	sender  sender
	current *fragment
}

func (w *fragmentWriter) Write(p []byte) (int, error) {
	total := 0
	for {
		n := w.current.write(p)
		total += n
		if n == len(p) {
			return total, nil
		}
		p = p[n:]
		w.current.finish(true)
		if err := w.sender.flush(w.current); err != nil {
			return total, err
		}
		var err error
		if w.current, err = w.sender.open(false); err != nil {
			return total, err
		}
		w.current.begin()
	}
}

func (w *fragmentWriter) Close() error {
	w.current.finish(false)
	return w.sender.flush(w.current)
}

// A taker takes a frame over if it returns true, and says why if not.
type taker interface {
	Take(f *frame) (taken bool, reason string)
}

type connection struct {
	pool framePool
	send chan *frame
	out  func(f *frame) error
}

func (c *connection) Take(f *frame) (bool, string) {
	select {
	case c.send <- f:
		return true, ""
	default:
		return false, "send buffer full"
	}
}

func (c *connection) run() {
	for f := range c.send {
		c.out(f)
		c.pool.Release(f)
	}
}

var errLong = errors.New("method too long")

type relaySender struct {
	id     uint32
	method string
	pool   framePool
	to     taker
	fail   func(id uint32, reason string)
	report func(size uint16)
}

func (s *relaySender) open(initial bool) (*fragment, error) {
	if len(s.method) > 1<<10 {
		return nil, errLong
	}
	f := s.pool.Get()
	f.id = s.id
	f.kind = callReqContinue
	f.payload[0] = 0
	used := 1 + checksum
	if initial {
		f.kind = callReq
		binary.BigEndian.PutUint16(f.payload[used:], uint16(len(s.method)))
		used += 2 + copy(f.payload[used+2:], s.method)
	}
	return &fragment{frame: f, used: used}, nil
}

func (s *relaySender) flush(f *fragment) error {
	f.frame.size = uint16(f.used)
	s.report(f.frame.size)
	taken, reason := s.to.Take(f.frame)
	if !taken {
		s.fail(s.id, reason)
		return nil
	}
	return nil
}

type relay struct {
	pool   framePool
	to     *connection
	fail   func(id uint32, reason string)
	report func(size uint16)
}

func (r *relay) send(id uint32, method string, argument []byte) error {
	w := &fragmentWriter{sender: &relaySender{id, method, r.pool, r.to, r.fail, r.report}}
	var err error
	if w.current, err = w.sender.open(true); err != nil {
		return fmt.Errorf("begin the call: %w", err)
	}
	w.current.begin()
	if _, err := w.Write(argument); err != nil {
		return fmt.Errorf("write the argument: %w", err)
	}
	return w.Close()
}
