// Package bug connects peers through a server that relays their messages.
package bug

import (
	"context"
	"encoding/hex"
	"io"
	"log"
	"net"
	"sync"
)

const (
	bufferSize = 8820
	idSize     = 16
	headerSize = 2
)

// A relayed is a message with the buffer that it is a part of.
type relayed struct {
	payload []byte

	pool *sync.Pool
	buf  *[]byte
}

// Free gives the buffer back when the payload has been copied or is not wanted.
func (m *relayed) Free() { m.pool.Put(m.buf) }

// A container has the messages for a connection until it reads them.
type container struct {
	conn     *peerConn
	messages chan relayed
	mu       sync.Mutex
	closed   bool
}

func (c *container) write(msg relayed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.messages <- msg
}

func (c *container) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	close(c.messages)
	c.closed = true
}

// A client is connected to the server.
type client struct {
	ctx       context.Context
	relayConn net.Conn
	buffers   *sync.Pool

	mu      sync.Mutex
	running bool
	conns   map[string]*container
}

func newClient(ctx context.Context, relayConn net.Conn) *client {
	c := &client{
		ctx:       ctx,
		relayConn: relayConn,
		buffers: &sync.Pool{New: func() any {
			buf := make([]byte, bufferSize)
			return &buf
		}},
		running: true,
		conns:   make(map[string]*container),
	}
	go c.readLoop()
	return c
}

// OpenConn returns a connection to a peer.
func (c *client) OpenConn(id [idSize]byte) (*peerConn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		return nil, net.ErrClosed
	}
	key := hex.EncodeToString(id[:])
	messages := make(chan relayed, 100)
	conn := &peerConn{client: c, id: id, key: key, messages: messages}
	c.conns[key] = &container{conn: conn, messages: messages}
	return conn, nil
}

func (c *client) readLoop() {
	for {
		ptr := c.buffers.Get().(*[]byte)
		buf := *ptr
		n, err := c.relayConn.Read(buf)
		if err != nil {
			log.Println("reading from the relay server:", err)
			break
		}
		if n < headerSize {
			log.Println("a message is too short")
			c.buffers.Put(ptr)
			continue
		}
		if !c.handle(buf[headerSize:n], ptr) {
			break
		}
	}
	if err := c.Close(); err != nil {
		log.Println("closing the connection to the relay server:", err)
	}
}

func (c *client) handle(body []byte, ptr *[]byte) bool {
	if len(body) < idSize {
		log.Println("a message has no peer")
		c.buffers.Put(ptr)
		return true
	}
	key := hex.EncodeToString(body[:idSize])

	c.mu.Lock()
	if !c.running {
		c.mu.Unlock()
		c.buffers.Put(ptr)
		return false
	}
	to, ok := c.conns[key]
	c.mu.Unlock()
	if !ok {
		log.Println("no connection to the peer", key)
		c.buffers.Put(ptr)
		return true
	}
	to.write(relayed{payload: body[idSize:], pool: c.buffers, buf: ptr})
	return true
}

// Close closes the connection to the server and those to the peers.
func (c *client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		return nil
	}
	c.running = false
	for key, conn := range c.conns {
		delete(c.conns, key)
		conn.close()
	}
	return c.relayConn.Close()
}

// A peerConn is a connection to a peer.
type peerConn struct {
	client   *client
	id       [idSize]byte
	key      string
	messages <-chan relayed
}

func (p *peerConn) Read(b []byte) (int, error) {
	msg, ok := <-p.messages
	if !ok {
		return 0, io.EOF
	}
	n := copy(b, msg.payload)
	msg.Free()
	return n, nil
}
