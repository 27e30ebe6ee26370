// Package fixed serves calls of methods over a connection.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"sync"
)

const (
	cmdRequest byte = iota + 1
	cmdResponse
	cmdError
)

const headLen = 14 // body length, sequence, command, method length

// A Message is a call or an answer. Its memory is pooled.
type Message []byte

func (m Message) cmd() byte      { return m[12] }
func (m Message) seq() uint64    { return binary.LittleEndian.Uint64(m[4:]) }
func (m Message) method() string { return string(m[headLen : headLen+int(m[13])]) }
func (m Message) body() []byte   { return m[headLen+int(m[13]):] }

var (
	mems     = sync.Pool{New: func() any { return new([]byte) }}
	contexts = sync.Pool{New: func() any { return new(Context) }}
)

func takeMem(size int) Message {
	p := mems.Get().(*[]byte)
	if cap(*p) < size {
		*p = make([]byte, size)
	}
	return Message((*p)[:size])
}

func giveMem(m Message) {
	b := []byte(m)
	mems.Put(&b)
}

// A Context is what a handler is called with.
type Context struct {
	Client  *Client
	Message Message
}

func NewContext(c *Client, msg Message) *Context {
	ctx := contexts.Get().(*Context)
	ctx.Client = c
	ctx.Message = msg
	return ctx
}

// Clone returns a copy that may be kept after the handler has returned.
func (ctx *Context) Clone() *Context {
	msg := append(Message(nil), ctx.Message...)
	return &Context{Client: ctx.Client, Message: msg}
}

// Body returns what was sent, which is good until the handler returns.
func (ctx *Context) Body() []byte { return ctx.Message.body() }

func (ctx *Context) Write(data []byte) error { return ctx.respond(cmdResponse, data) }
func (ctx *Context) Error(err error) error   { return ctx.respond(cmdError, []byte(err.Error())) }

func (ctx *Context) respond(cmd byte, data []byte) error {
	return ctx.Client.push(newMessage(cmd, ctx.Message.seq(), "", data))
}

func newMessage(cmd byte, seq uint64, method string, data []byte) Message {
	n := len(method) + len(data)
	msg := takeMem(headLen + n)
	binary.LittleEndian.PutUint32(msg, uint32(n))
	binary.LittleEndian.PutUint64(msg[4:], seq)
	msg[12] = cmd
	msg[13] = byte(len(method))
	copy(msg[headLen:], method)
	copy(msg[headLen+len(method):], data)
	return msg
}

var (
	errStopped   = errors.New("client stopped")
	errQueueFull = errors.New("queue is full")
	errInvalid   = errors.New("invalid message")
)

// A Client is one end of a connection.
type Client struct {
	conn    net.Conn
	handler *Handler
	send    chan Message

	mu      sync.Mutex
	stopped bool
	seq     uint64
	async   map[uint64]func(*Context)
}

func NewClient(conn net.Conn, h *Handler) *Client {
	c := &Client{
		conn: conn, handler: h,
		send:  make(chan Message, 1024),
		async: make(map[uint64]func(*Context)),
	}
	go c.sendLoop()
	go c.recvLoop()
	return c
}

// push queues a message, which belongs to the queue or, if it fails, to nobody.
func (c *Client) push(msg Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		giveMem(msg)
		return errStopped
	}
	select {
	case c.send <- msg:
		return nil
	default:
		giveMem(msg)
		return errQueueFull
	}
}

// CallAsync calls a method. The answer goes to h.
func (c *Client) CallAsync(method string, data []byte, h func(*Context)) error {
	c.mu.Lock()
	c.seq++
	seq := c.seq
	c.async[seq] = h
	c.mu.Unlock()
	return c.push(newMessage(cmdRequest, seq, method, data))
}

func (c *Client) callbackOf(seq uint64) (func(*Context), bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.async[seq]
	delete(c.async, seq)
	return h, ok
}

func (c *Client) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	close(c.send)
}

func (c *Client) sendLoop() {
	for msg := range c.send {
		c.conn.Write(msg)
		giveMem(msg)
	}
}

func (c *Client) recvLoop() {
	defer c.stop()
	for {
		msg, err := c.handler.recv(c.conn)
		if err != nil {
			log.Print(err)
			return
		}
		c.handler.dispatch(c, msg)
	}
}

// A Handler has the functions for the methods.
type Handler struct{ routes map[string]func(*Context) }

func (h *Handler) recv(r io.Reader) (Message, error) {
	var head [headLen]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(head[:]))
	if n < int(head[13]) {
		return nil, errInvalid
	}
	msg := takeMem(headLen + n)
	copy(msg, head[:])
	if _, err := io.ReadFull(r, msg[headLen:]); err != nil {
		giveMem(msg)
		return nil, err
	}
	return msg, nil
}

func logPanic() {
	if e := recover(); e != nil {
		log.Print("handler: ", e)
	}
}

// dispatch calls the function that a message is for.
func (h *Handler) dispatch(c *Client, msg Message) {
	switch msg.cmd() {
	case cmdRequest:
		if cb, ok := h.routes[msg.method()]; ok {
			ctx := NewContext(c, msg)
			defer func() {
				*ctx = Context{}
				contexts.Put(ctx)
				giveMem(msg)
			}()
			defer logPanic()
			cb(ctx)
		} else {
			giveMem(msg)
		}
	case cmdResponse, cmdError:
		if cb, ok := c.callbackOf(msg.seq()); ok {
			defer giveMem(msg)
			defer logPanic()
			cb(&Context{Client: c, Message: msg})
		} else {
			giveMem(msg)
		}
	default:
		giveMem(msg)
	}
}
