// Package fixed proxies connections over a server that wants a handshake first.
package fixed

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

const (
	commandTCP = 1
	commandUDP = 2

	optionChunks = 1

	bufferSize = 32 << 10
	keySize    = 16
)

var errResponse = errors.New("bad header of a response")

var dataPool = sync.Pool{
	New: func() any {
		data := make([]byte, bufferSize)
		return &data
	},
}

// A buffer is pooled bytes of which some are to be read.
type buffer struct {
	data       *[]byte
	start, end int
}

func newBuffer() *buffer { return &buffer{data: dataPool.Get().(*[]byte)} }

// Release gives the bytes back. A nil buffer has none.
func (b *buffer) Release() {
	if b == nil || b.data == nil {
		return
	}
	dataPool.Put(b.data)
	*b = buffer{}
}

func (b *buffer) IsEmpty() bool { return b.start == b.end }

// ReadOnceFrom fills the buffer, which is empty, with one read.
func (b *buffer) ReadOnceFrom(r io.Reader) error {
	b.start, b.end = 0, 0
	n, err := r.Read(*b.data)
	b.end = n
	if n > 0 {
		return nil
	}
	return err
}

func (b *buffer) Read(p []byte) (int, error) {
	n := copy(p, (*b.data)[b.start:b.end])
	b.start += n
	return n, nil
}

// A bufferedReader reads through a buffer.
type bufferedReader struct {
	upstream io.Reader
	buffer   *buffer
}

func newBufferedReader(upstream io.Reader, b *buffer) *bufferedReader {
	return &bufferedReader{upstream, b}
}

func (r *bufferedReader) Read(p []byte) (int, error) {
	if r.buffer.IsEmpty() {
		if err := r.buffer.ReadOnceFrom(r.upstream); err != nil {
			return 0, err
		}
	}
	return r.buffer.Read(p)
}

// A chunkReader reads chunks, of which each has its length before it.
type chunkReader struct {
	upstream io.Reader
	left     int
}

func (r *chunkReader) Read(p []byte) (int, error) {
	for r.left == 0 {
		var length [2]byte
		if _, err := io.ReadFull(r.upstream, length[:]); err != nil {
			return 0, err
		}
		r.left = int(binary.BigEndian.Uint16(length[:]))
	}
	n, err := r.upstream.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// A client makes connections for a user.
type client struct {
	user   [keySize]byte
	chunks bool
}

type rawClientConn struct {
	net.Conn
	client         *client
	command        byte
	option         byte
	destination    string
	responseHeader byte

	readBuffer *buffer
	reader     io.Reader
	readAccess sync.Mutex
	closed     bool
}

func (c *client) dialRaw(upstream net.Conn, command byte, destination string) *rawClientConn {
	conn := &rawClientConn{Conn: upstream, client: c, command: command, destination: destination}
	if c.chunks || command == commandUDP {
		conn.option |= optionChunks
	}
	if conn.option&optionChunks != 0 && command == commandTCP {
		conn.readBuffer = newBuffer()
	}
	return conn
}

func (c *rawClientConn) writeHandshake() error {
	var nonce [keySize]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return err
	}
	c.responseHeader = nonce[0]
	header := make([]byte, 0, 64+len(c.destination))
	header = append(header, c.client.user[:]...)
	header = append(header, nonce[:]...)
	header = append(header, c.option, c.command, byte(len(c.destination)))
	header = append(header, c.destination...)
	_, err := c.Conn.Write(header)
	return err
}

func (c *rawClientConn) readResponse() error {
	var response [4]byte
	if _, err := io.ReadFull(c.Conn, response[:]); err != nil {
		return err
	}
	if response[0] != c.responseHeader {
		return errResponse
	}
	if _, err := io.CopyN(io.Discard, c.Conn, int64(response[3])); err != nil {
		return err
	}
	var reader io.Reader = c.Conn
	if c.option&optionChunks != 0 {
		reader = &chunkReader{upstream: c.Conn}
	}
	if c.readBuffer != nil {
		reader = newBufferedReader(reader, c.readBuffer)
	}
	c.reader = reader
	return nil
}

func (c *rawClientConn) Close() error {
	err := c.Conn.Close()
	c.readAccess.Lock()
	defer c.readAccess.Unlock()
	c.closed = true
	c.readBuffer.Release()
	return err
}

// A clientConn reads the response to its handshake before the first bytes.
type clientConn struct{ *rawClientConn }

// DialConn returns a connection to the destination over upstream.
func (c *client) DialConn(upstream net.Conn, destination string) (net.Conn, error) {
	conn := &clientConn{c.dialRaw(upstream, commandTCP, destination)}
	if err := conn.writeHandshake(); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (c *clientConn) Read(p []byte) (int, error) {
	c.readAccess.Lock()
	defer c.readAccess.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	if c.reader == nil {
		if err := c.readResponse(); err != nil {
			return 0, err
		}
	}
	return c.reader.Read(p)
}

// proxy copies both ways until one of them ends, and closes both connections.
func proxy(local, remote net.Conn) error {
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(local, remote)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(remote, local)
		ended <- err
	}()
	err := <-ended
	return errors.Join(err, local.Close(), remote.Close())
}
