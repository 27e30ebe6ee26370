// Package fixed has connections that a poller reads for: what comes waits in a
// buffer of linked nodes, and readers look at it there.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

const (
	pageSize   = 8 << 10
	barrierCap = 32
)

var errClosed = errors.New("connection has been closed")

var pages = sync.Pool{New: func() any { return make([]byte, pageSize) }}

type node struct {
	buf         []byte
	read, write int
	next        *node
}

func newNode() *node {
	return &node{buf: pages.Get().([]byte)}
}

func (n *node) release() {
	pages.Put(n.buf)
	n.buf = nil
}

// A linkBuffer is for one writer and one reader at a time.
type linkBuffer struct {
	mu     sync.Mutex
	head   *node // released up to here
	at     *node // read up to here
	tail   *node // written up to here
	length int
}

func newLinkBuffer() *linkBuffer {
	n := newNode()
	return &linkBuffer{head: n, at: n, tail: n}
}

func (b *linkBuffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.length
}

// book returns where the writer may write, and bookAck says how much it did.
func (b *linkBuffer) book() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tail.write == pageSize {
		b.tail.next = newNode()
		b.tail = b.tail.next
	}
	return b.tail.buf[b.tail.write:]
}

func (b *linkBuffer) bookAck(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tail.write += n
	b.length += n
}

// Peek shows the next bytes. They are valid until they are skipped and released.
func (b *linkBuffer) Peek(n int) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.length < n {
		return nil, io.ErrUnexpectedEOF
	}
	nd := b.at
	if nd.write-nd.read >= n {
		return nd.buf[nd.read : nd.read+n], nil
	}
	var joined []byte
	for ; len(joined) < n; nd = nd.next {
		m := min(n-len(joined), nd.write-nd.read)
		joined = append(joined, nd.buf[nd.read:nd.read+m]...)
	}
	return joined, nil
}

func (b *linkBuffer) Skip(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.length < n {
		return io.ErrUnexpectedEOF
	}
	b.length -= n
	for n > 0 {
		m := min(n, b.at.write-b.at.read)
		b.at.read += m
		if n -= m; n > 0 {
			b.at = b.at.next
		}
	}
	return nil
}

// Release gives the nodes back that are read.
func (b *linkBuffer) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releaseTo(b.at)
}

// Close gives all nodes back.
func (b *linkBuffer) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releaseTo(nil)
	b.at, b.tail, b.length = nil, nil, 0
}

func (b *linkBuffer) releaseTo(end *node) {
	for b.head != end {
		b.head.release()
		b.head = b.head.next
	}
}

// A barrier has the vectors of a system call.
type barrier struct{ bs [barrierCap][]byte }

var barriers = sync.Pool{New: func() any { return new(barrier) }}

// An onRequest takes what there is, and does not wait for more.
type onRequest func(c *connection) error

type socket interface {
	Readv(bs [][]byte) (int, error)
	Write(p []byte) (int, error)
	Close() error
}

type connection struct {
	fd       socket
	down     atomic.Bool
	finished atomic.Bool
	handler  onRequest // nil for clients
	trigger  chan struct{}
	hung     chan struct{}

	poll      sync.Mutex // held by the poller while it reads and handles
	detached  bool
	input     *linkBuffer
	inBarrier *barrier
	closed    atomic.Bool
	recycled  sync.Once
}

func newConnection(fd socket, h onRequest) *connection {
	c := &connection{fd: fd, handler: h, trigger: make(chan struct{}, 1), hung: make(chan struct{})}
	c.input = newLinkBuffer()
	c.inBarrier = barriers.Get().(*barrier)
	return c
}

// onReadable is called by the poller.
func (c *connection) onReadable() {
	c.poll.Lock()
	if c.detached {
		c.poll.Unlock()
		return
	}
	c.inBarrier.bs[0] = c.input.book()
	n, err := c.fd.Readv(c.inBarrier.bs[:1])
	if n > 0 {
		c.input.bookAck(n)
	}
	if err == nil && c.handler != nil {
		err = c.handler(c)
	}
	c.poll.Unlock()
	if err != nil {
		c.onHup()
		return
	}
	c.wake()
}

func (c *connection) wake() {
	select {
	case c.trigger <- struct{}{}:
	default:
	}
}

// onHup is called by the poller. A connection without a handler is closed by its
// user.
func (c *connection) onHup() {
	if !c.down.CompareAndSwap(false, true) {
		return
	}
	close(c.hung)
	c.wake()
	if c.handler != nil {
		c.finish()
	}
}

// Close may be called by any goroutine.
func (c *connection) Close() error {
	c.down.Store(true)
	c.wake()
	return c.finish()
}

// finish runs once, and not while a handler does.
func (c *connection) finish() error {
	if !c.finished.CompareAndSwap(false, true) {
		return nil
	}
	c.poll.Lock()
	c.detached = true
	c.poll.Unlock()
	err := c.fd.Close()
	c.closeBuffer()
	return err
}

// closeBuffer leaves what a client has not read yet to the client.
func (c *connection) closeBuffer() {
	c.closed.Store(true)
	if c.handler != nil || c.input.Len() == 0 {
		c.recycleInput()
	}
}

func (c *connection) recycleInput() {
	c.recycled.Do(func() {
		c.input.Close()
		barriers.Put(c.inBarrier)
	})
}

func (c *connection) waitRead(n int) error {
	for c.input.Len() < n {
		if c.down.Load() {
			return errClosed
		}
		<-c.trigger
	}
	return nil
}

func (c *connection) Peek(n int) ([]byte, error) {
	if err := c.waitRead(n); err != nil {
		return nil, err
	}
	return c.input.Peek(n)
}

func (c *connection) Skip(n int) error { return c.input.Skip(n) }

func (c *connection) Release() {
	c.input.Release()
	if c.closed.Load() && c.input.Len() == 0 {
		c.recycleInput()
	}
}

// A client calls one method after the other.
type client struct{ conn *connection }

func newClient(fd socket) *client {
	cl := &client{conn: newConnection(fd, nil)}
	go func() {
		<-cl.conn.hung
		cl.conn.Close()
	}()
	return cl
}

// Close is for when no call runs.
func (cl *client) Close() error {
	err := cl.conn.Close()
	if err := cl.conn.Skip(cl.conn.input.Len()); err != nil {
		return err
	}
	cl.conn.Release()
	return err
}

// call writes a request and decodes the response, which has its length before it.
func (cl *client) call(request []byte, decode func(p []byte) error) error {
	if _, err := cl.conn.fd.Write(request); err != nil {
		return err
	}

	head, err := cl.conn.Peek(4)
	if err != nil {
		return err
	}
	size := 4 + int(binary.BigEndian.Uint32(head))
	msg, err := cl.conn.Peek(size)
	if err != nil {
		return err
	}
	if err := decode(msg[4:]); err != nil {
		return err
	}
	err = cl.conn.Skip(size)
	cl.conn.Release()
	return err
}
