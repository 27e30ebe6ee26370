// Package bug puts the frames of a connection together to messages, which are
// handled on other goroutines.
package bug

import (
	"errors"
	"net"
	"sync"
)

// A memPool grows slices and takes them back.
type memPool struct {
	pool    *sync.Pool
	maxFree int
}

func newMemPool(size, maxFree int) *memPool {
	return &memPool{&sync.Pool{New: func() any {
		buf := make([]byte, size)
		return &buf
	}}, maxFree}
}

func (p *memPool) Malloc(size int) []byte {
	if size > p.maxFree {
		return make([]byte, size)
	}
	pbuf := p.pool.Get().(*[]byte)
	if n := cap(*pbuf); n < size {
		*pbuf = append((*pbuf)[:n], make([]byte, size-n)...)
	}
	return (*pbuf)[:size]
}

func (p *memPool) Append(buf []byte, more ...byte) []byte { return append(buf, more...) }

func (p *memPool) Free(buf []byte) {
	if cap(buf) > p.maxFree {
		return
	}
	p.pool.Put(&buf)
}

type engine struct {
	allocator *memPool
	execute   func(f func()) bool
}

type conn struct {
	net.Conn
	engine  *engine
	mu      sync.Mutex
	closed  bool
	message []byte
	handler func(c *conn, message []byte)
}

func (c *conn) handleMessage(body []byte) {
	if !c.engine.execute(func() {
		c.handler(c, body)
		c.engine.allocator.Free(body)
	}) {
		c.engine.allocator.Free(body)
	}
}

var errClosed = errors.New("closed")

// parse takes one frame, which ends a message if it is final.
func (c *conn) parse(frame []byte, final bool) error {
	var complete bool
	err := func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.closed {
			return errClosed
		}
		if len(frame) > 0 {
			if c.message == nil {
				c.message = c.engine.allocator.Malloc(len(frame))
				copy(c.message, frame)
			} else {
				c.message = c.engine.allocator.Append(c.message, frame...)
			}
		}
		complete = final && c.message != nil
		return nil
	}()
	if err != nil {
		return err
	}
	if complete {
		c.handleMessage(c.message)
		c.message = nil
	}
	return nil
}

// closeAndClean may be called on any goroutine.
func (c *conn) closeAndClean() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	c.Conn.Close()
	if c.message != nil {
		c.engine.allocator.Free(c.message)
		c.message = nil
	}
}
