// Package bug writes messages to a websocket, in frames as large as its buffer.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
)

const (
	continuationFrame = 0
	textMessage       = 1
	binaryMessage     = 2
	closeMessage      = 8
	finalBit          = 1 << 7
	maskBit           = 1 << 7
	maxHeader         = 14
	maxControlSize    = 125
)

var (
	errBadKind      = errors.New("bad kind of message")
	errBadControl   = errors.New("bad control frame")
	errWriterClosed = errors.New("writer is closed")
)

func isControl(kind int) bool { return kind >= closeMessage }

// A bufferPool keeps what conns write with between their messages.
type bufferPool interface {
	Get() any
	Put(any)
}

// pooled is what conns put into a bufferPool.
type pooled struct{ buf []byte }

type conn struct {
	net      net.Conn
	isServer bool

	buf     []byte
	bufs    bufferPool
	bufSize int
	writer  io.WriteCloser

	errMu sync.Mutex
	err   error
}

func newConn(nc net.Conn, isServer bool, bufSize int, bufs bufferPool) *conn {
	c := &conn{net: nc, isServer: isServer, bufs: bufs, bufSize: bufSize + maxHeader}
	if bufs == nil {
		c.buf = make([]byte, c.bufSize)
	}
	return c
}

// fail keeps the first error: nothing is written after it.
func (c *conn) fail(err error) error {
	c.errMu.Lock()
	defer c.errMu.Unlock()
	if c.err == nil {
		c.err = err
	}
	return err
}

func (c *conn) failed() error {
	c.errMu.Lock()
	defer c.errMu.Unlock()
	return c.err
}

func (c *conn) send(b0, b1 []byte) error {
	if err := c.failed(); err != nil {
		return err
	}
	bufs := net.Buffers{b0, b1}
	if _, err := bufs.WriteTo(c.net); err != nil {
		return c.fail(err)
	}
	return nil
}

func (c *conn) prepare(kind int) error {
	if c.writer != nil {
		c.writer.Close()
		c.writer = nil
	}
	if !isControl(kind) && kind != textMessage && kind != binaryMessage {
		return errBadKind
	}
	if err := c.failed(); err != nil {
		return err
	}
	if c.buf == nil {
		if p, ok := c.bufs.Get().(pooled); ok {
			c.buf = p.buf
		} else {
			c.buf = make([]byte, c.bufSize)
		}
	}
	return nil
}

// nextWriter gives a writer for a message, whose Close sends the rest of it.
func (c *conn) nextWriter(kind int) (io.WriteCloser, error) {
	if err := c.prepare(kind); err != nil {
		return nil, err
	}
	w := &messageWriter{c: c, kind: kind, pos: maxHeader}
	c.writer = w
	return w, nil
}

type messageWriter struct {
	c    *conn
	pos  int // where the data in the buffer ends
	kind int
	err  error
}

func (w *messageWriter) fatal(err error) error {
	if w.err != nil {
		w.err = err
		w.c.writer = nil
	}
	return err
}

// flushFrame sends the buffer, and extra behind it.
func (w *messageWriter) flushFrame(final bool, extra []byte) error {
	c := w.c
	length := w.pos - maxHeader + len(extra)
	if isControl(w.kind) && (!final || length > maxControlSize) {
		return w.fatal(errBadControl)
	}

	b0, b1 := byte(w.kind), byte(0)
	if final {
		b0 |= finalBit
	}
	// The header ends where the data begins, or where the mask does.
	start := maxHeader
	if !c.isServer {
		b1 |= maskBit
		start -= 4
	}
	switch {
	case length >= 1<<16:
		start -= 10
		c.buf[start+1] = b1 | 127
		binary.BigEndian.PutUint64(c.buf[start+2:], uint64(length))
	case length > 125:
		start -= 4
		c.buf[start+1] = b1 | 126
		binary.BigEndian.PutUint16(c.buf[start+2:], uint16(length))
	default:
		start -= 2
		c.buf[start+1] = b1 | byte(length)
	}
	c.buf[start] = b0

	if !c.isServer {
		key := binary.BigEndian.AppendUint32(nil, rand.Uint32())
		copy(c.buf[maxHeader-4:], key)
		for i := range c.buf[maxHeader:w.pos] {
			c.buf[maxHeader+i] ^= key[i%4]
		}
		if len(extra) > 0 {
			return c.fail(errors.New("only servers send more than their buffer"))
		}
	}

	if err := c.send(c.buf[start:w.pos], extra); err != nil {
		return w.fatal(err)
	}

	if final {
		c.writer = nil
		if c.bufs != nil {
			c.bufs.Put(pooled{buf: c.buf})
			c.buf = nil
		}
		return nil
	}
	w.pos = maxHeader
	w.kind = continuationFrame
	return nil
}

func (w *messageWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if len(p) > 2*len(w.c.buf) && w.c.isServer {
		if err := w.flushFrame(false, p); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	for n := 0; n < len(p); {
		if w.pos == len(w.c.buf) {
			if err := w.flushFrame(false, nil); err != nil {
				return 0, err
			}
		}
		m := copy(w.c.buf[w.pos:], p[n:])
		w.pos += m
		n += m
	}
	return len(p), nil
}

func (w *messageWriter) Close() error {
	if w.err != nil {
		return w.err
	}
	if err := w.flushFrame(true, nil); err != nil {
		return err
	}
	w.err = errWriterClosed
	return nil
}

// writeMessage sends a whole message.
func (c *conn) writeMessage(kind int, data []byte) error {
	if c.isServer {
		if err := c.prepare(kind); err != nil {
			return err
		}
		w := messageWriter{c: c, kind: kind, pos: maxHeader}
		n := copy(c.buf[w.pos:], data)
		w.pos += n
		return w.flushFrame(true, data[n:])
	}
	w, err := c.nextWriter(kind)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Close()
}
