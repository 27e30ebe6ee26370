// Package bug is the writing half of a connection that sends pooled frames.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

const maxFrame = 64 << 10

type frame struct {
	buf  []byte
	size int
}

func (f *frame) write(msg encoding) error {
	p, err := msg.AppendTo(f.buf[2:2])
	if err != nil {
		return err
	}
	if len(p) > maxFrame-2 {
		return errors.New("message too long")
	}
	f.size = 2 + len(p)
	binary.BigEndian.PutUint16(f.buf, uint16(len(p)))
	return nil
}

func (f *frame) writeTo(w io.Writer) error {
	_, err := w.Write(f.buf[:f.size])
	return err
}

type encoding interface{ AppendTo([]byte) ([]byte, error) }

type framePool interface {
	Get() *frame
	Release(f *frame)
}

type syncFramePool struct{ pool sync.Pool }

func newFramePool() framePool {
	return &syncFramePool{sync.Pool{New: func() any { return &frame{buf: make([]byte, maxFrame)} }}}
}

func (p *syncFramePool) Get() *frame      { return p.pool.Get().(*frame) }
func (p *syncFramePool) Release(f *frame) { p.pool.Put(f) }

var errFull = errors.New("send buffer is full")

type conn struct {
	net    net.Conn
	frames framePool
	send   chan *frame
	stop   chan struct{}
	once   sync.Once
	failed error
}

func newConn(nc net.Conn) *conn {
	c := &conn{net: nc, frames: newFramePool(), send: make(chan *frame, 512), stop: make(chan struct{})}
	go c.writeFrames()
	return c
}

func (c *conn) sendMessage(msg encoding) error {
	f := c.frames.Get()
	if err := f.write(msg); err != nil {
		c.frames.Release(f)
		return err
	}
	select {
	case c.send <- f:
		return nil
	default:
		c.frames.Release(f)
		return errFull
	}
}

func (c *conn) fail(err error) {
	c.once.Do(func() {
		c.failed = err
		close(c.stop)
	})
}

func (c *conn) writeFrames() {
	for {
		select {
		case f := <-c.send:
			err := f.writeTo(c.net)
			c.frames.Release(f)
			if err != nil {
				c.fail(err)
				return
			}
		case <-c.stop:
			if len(c.send) > 0 {
				continue
			}
			c.net.Close()
			return
		}
	}
}
