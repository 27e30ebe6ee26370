// Package bug serves clients that send the address of a target in a stream, and
// behind it what the target is to get.
package bug

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
)

const (
	version        = 5
	commandConnect = 1
	maxRequest     = 2 + 1 + 255 + 2
)

var arrays = sync.Pool{New: func() any { return new([1024]byte) }}

// buffer is a part of an array of the pool: what lies between start and end has
// been written to it, and is not read yet.
type buffer struct {
	array      *[1024]byte
	start, end int
	size       int
}

func newBuffer(size int) *buffer {
	return &buffer{array: arrays.Get().(*[1024]byte), size: min(size, 1024)}
}

func (b *buffer) IsEmpty() bool { return b.start == b.end }

// Release gives the array back. It may be called again.
func (b *buffer) Release() {
	if b == nil || b.array == nil {
		return
	}
	arrays.Put(b.array)
	*b = buffer{}
}

func (b *buffer) ReadAtLeastFrom(r io.Reader, least int) (int, error) {
	n, err := io.ReadAtLeast(r, b.array[b.end:b.size], least)
	b.end += n
	return n, err
}

func (b *buffer) Read(p []byte) (int, error) {
	if b.IsEmpty() {
		return 0, io.EOF
	}
	n := copy(p, b.array[b.start:b.end])
	b.start += n
	return n, nil
}

func (b *buffer) ReadByte() (byte, error) {
	if b.IsEmpty() {
		return 0, io.EOF
	}
	b.start++
	return b.array[b.start-1], nil
}

// cachedConn gives what is in a buffer before it reads from the connection.
type cachedConn struct {
	net.Conn

	mu     sync.Mutex
	buffer *buffer
}

func newCachedConn(c net.Conn, b *buffer) *cachedConn { return &cachedConn{Conn: c, buffer: b} }

// readCached gives 0 if there is nothing left.
func (c *cachedConn) readCached(p []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.buffer == nil {
		return 0
	}
	n, err := c.buffer.Read(p)
	if err != nil {
		c.buffer.Release()
		c.buffer = nil
	}
	return n
}

func (c *cachedConn) Read(p []byte) (int, error) {
	if n := c.readCached(p); n > 0 {
		return n, nil
	}
	return c.Conn.Read(p)
}

func (c *cachedConn) Close() error {
	c.mu.Lock()
	c.buffer.Release()
	c.buffer = nil
	c.mu.Unlock()
	return c.Conn.Close()
}

// readAddress reads a name behind its length, and a port.
func readAddress(r io.Reader) (string, error) {
	var n [1]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return "", err
	}
	b := make([]byte, int(n[0])+2)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", err
	}
	port := binary.BigEndian.Uint16(b[n[0]:])
	return fmt.Sprintf("%s:%d", b[:n[0]], port), nil
}

// stream is one of those of a connection.
type stream interface {
	net.Conn
	CancelRead()
}

// A handler gets connections to targets. It may go on with them when it has
// returned, and closes them.
type handler interface {
	NewConnection(ctx context.Context, conn net.Conn, source, target string)
}

type serverConn struct {
	stream
	target string
}

func (c *serverConn) Close() error {
	c.CancelRead()
	return c.stream.Close()
}

type session struct {
	ctx      context.Context
	source   string
	accept   func(ctx context.Context) (stream, error)
	handler  handler
	authDone chan struct{}
	connDone chan struct{}
	connErr  error
}

func (s *session) loopStreams() {
	for {
		st, err := s.accept(s.ctx)
		if err != nil {
			return
		}
		go func() {
			if err := s.handleStream(st); err != nil {
				st.CancelRead()
				st.Close()
				log.Printf("%s: stream: %v", s.source, err)
			}
		}()
	}
}

func (s *session) handleStream(st stream) error {
	request := newBuffer(maxRequest)
	defer request.Release()
	if _, err := request.ReadAtLeastFrom(st, 2); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if v, _ := request.ReadByte(); v != version {
		return fmt.Errorf("unknown version %d", v)
	}
	if c, _ := request.ReadByte(); c != commandConnect {
		return fmt.Errorf("unknown command %d", c)
	}
	target, err := readAddress(io.MultiReader(request, st))
	if err != nil {
		return fmt.Errorf("reading the target: %w", err)
	}
	select {
	case <-s.connDone:
		return s.connErr
	case <-s.authDone:
	}
	var conn net.Conn = &serverConn{stream: st, target: target}
	if request.IsEmpty() {
		request.Release()
	} else {
		conn = newCachedConn(conn, request)
	}
	s.handler.NewConnection(s.ctx, conn, s.source, target)
	return nil
}

// dialer is a handler that copies between clients and targets.
type dialer struct{ net.Dialer }

func (d *dialer) NewConnection(ctx context.Context, conn net.Conn, source, target string) {
	out, err := d.DialContext(ctx, "tcp", target)
	if err != nil {
		log.Printf("%s: %v", source, err)
		conn.Close()
		return
	}
	go copyBoth(conn, out)
}

func copyBoth(a, b net.Conn) {
	done := make(chan error, 2)
	pipe := func(to, from net.Conn) {
		_, err := io.Copy(to, from)
		done <- err
	}
	go pipe(a, b)
	go pipe(b, a)
	err := <-done
	a.Close()
	b.Close()
	if err = errors.Join(err, <-done); err != nil {
		log.Printf("copying: %v", err)
	}
}
