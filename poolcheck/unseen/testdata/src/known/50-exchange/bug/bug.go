// Package bug exchanges messages with a peer.
package bug

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
)

const headSize = 16

const (
	kindCallRes         = 4
	kindCallResContinue = 0x14
	kindError           = 0xff
)

type frame struct {
	size    uint16
	kind    byte
	id      uint32
	payload [1<<16 - headSize]byte
}

func (f *frame) content() []byte { return f.payload[:f.size] }

func (f *frame) readFrom(r io.Reader) error {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := int(binary.BigEndian.Uint16(head[:]))
	if size < headSize {
		return errors.New("frame too short")
	}
	f.size = uint16(size - headSize)
	f.kind = head[2]
	f.id = binary.BigEndian.Uint32(head[4:])
	_, err := io.ReadFull(r, f.content())
	return err
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

type peerError struct {
	id   uint32
	code byte
	text string
}

func (e *peerError) Error() string { return fmt.Sprintf("call %d: code %d: %s", e.id, e.code, e.text) }

func (e *peerError) read(p []byte) error {
	if len(p) < 3 || len(p) < 3+int(binary.BigEndian.Uint16(p[1:])) {
		return io.ErrUnexpectedEOF
	}
	e.code = p[0]
	e.text = string(p[3 : 3+binary.BigEndian.Uint16(p[1:])])
	return nil
}

var errKind = errors.New("unexpected kind of frame")

// An exchange gets the frames that answer a call. Whoever receives one from it
// releases it.
type exchange struct {
	ctx      context.Context
	cancel   context.CancelFunc
	id       uint32
	received chan *frame
	pool     framePool
}

func (x *exchange) forward(f *frame) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	select {
	case x.received <- f:
		return nil
	case <-x.ctx.Done():
		return x.ctx.Err()
	}
}

func (x *exchange) receive() (*frame, error) {
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case f := <-x.received:
		return f, nil
	case <-x.ctx.Done():
		return nil, x.ctx.Err()
	}
}

func (x *exchange) receiveKind(kind byte) (*frame, error) {
	f, err := x.receive()
	if err != nil {
		return nil, err
	}
	switch f.kind {
	case kind:
		return f, nil

	case kindError:
		e := &peerError{id: f.id}
		if err := e.read(f.content()); err != nil {
			return nil, err
		}
		return nil, e

	default:
		log.Printf("kind %#x for call %d, want %#x", f.kind, x.id, kind)
		return nil, errKind
	}
}

// response reads the answer, which may come in several frames.
func (x *exchange) response() ([]byte, error) {
	var answer []byte
	kind := byte(kindCallRes)
	for {
		f, err := x.receiveKind(kind)
		if err != nil {
			return nil, err
		}
		p := f.content()
		if len(p) == 0 {
			x.pool.Release(f)
			return nil, io.ErrUnexpectedEOF
		}
		more := p[0]&1 != 0
		answer = append(answer, p[1:]...)
		x.pool.Release(f)
		if !more {
			return answer, nil
		}
		kind = kindCallResContinue
	}
}

type connection struct {
	r    io.Reader
	pool framePool

	mu        sync.RWMutex
	exchanges map[uint32]*exchange
}

func (c *connection) newExchange(ctx context.Context, id uint32) *exchange {
	x := &exchange{id: id, received: make(chan *frame, 2), pool: c.pool}
	x.ctx, x.cancel = context.WithCancel(ctx)
	c.mu.Lock()
	c.exchanges[id] = x
	c.mu.Unlock()
	return x
}

func (c *connection) endExchange(x *exchange) {
	x.cancel() // so that nobody waits to forward a frame
	c.mu.Lock()
	delete(c.exchanges, x.id)
	c.mu.Unlock()
	for {
		select {
		case f := <-x.received:
			c.pool.Release(f)
		default:
			return
		}
	}
}

func (c *connection) handle(f *frame) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	x := c.exchanges[f.id]
	if x == nil {
		c.pool.Release(f)
		return
	}
	if err := x.forward(f); err != nil {
		c.pool.Release(f)
	}
}

func (c *connection) readFrames() error {
	for {
		f := c.pool.Get()
		if err := f.readFrom(c.r); err != nil {
			c.pool.Release(f)
			return err
		}
		c.handle(f)
	}
}
