// Package bug connects an inbound connection with an outbound one, and sends
// the first bytes together with the handshake.
package bug

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

const (
	streamSize = 32 << 10
	packetSize = 16 << 10
	firstWait  = 300 * time.Millisecond
)

var (
	streamArrays = sync.Pool{New: func() any { return make([]byte, streamSize) }}
	packetArrays = sync.Pool{New: func() any { return make([]byte, packetSize) }}
)

func getArray(size int) []byte {
	if size <= packetSize {
		return packetArrays.Get().([]byte)[:size]
	}
	return streamArrays.Get().([]byte)[:size]
}

func putArray(p []byte) error {
	switch cap(p) {
	case packetSize:
		packetArrays.Put(p)
	case streamSize:
		streamArrays.Put(p)
	default:
		return errors.New("array of a wrong size")
	}
	return nil
}

// A buffer has content between start and end.
type buffer struct {
	data       []byte
	start, end int
	managed    bool
}

func newBuffer() *buffer { return &buffer{data: getArray(streamSize), managed: true} }
func newPacket() *buffer { return &buffer{data: getArray(packetSize), managed: true} }

func (b *buffer) Bytes() []byte { return b.data[b.start:b.end] }
func (b *buffer) IsEmpty() bool { return b.start == b.end }

func (b *buffer) ReadOnceFrom(r io.Reader) (int, error) {
	if b.end == len(b.data) {
		return 0, io.ErrShortBuffer
	}
	n, err := r.Read(b.data[b.end:])
	b.end += n
	return n, err
}

func (b *buffer) Release() {
	if b == nil || !b.managed {
		return
	}
	if err := putArray(b.data); err != nil {
		panic(err)
	}
	*b = buffer{}
}

// A cachedReader gives away what it has read and nobody has taken yet.
type cachedReader interface {
	ReadCached() *buffer
}

// An earlyConn makes its handshake with the first write.
type earlyConn interface {
	NeedHandshake() bool
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

func copyConn(a, b net.Conn) error {
	done := make(chan error, 2)
	move := func(dst, src net.Conn) {
		buf := newBuffer()
		defer buf.Release()
		_, err := io.CopyBuffer(dst, src, buf.data)
		done <- err
	}
	go move(a, b)
	go move(b, a)
	return errors.Join(<-done, <-done)
}

func copyEarly(conn, out net.Conn) error {
	if c, ok := conn.(cachedReader); ok {
		payload := c.ReadCached()
		if payload != nil && !payload.IsEmpty() {
			_, err := out.Write(payload.Bytes())
			if err != nil {
				return err
			}
			return copyConn(conn, out)
		}
	}
	if e, ok := out.(earlyConn); ok && e.NeedHandshake() {
		payload := newPacket()
		err := conn.SetReadDeadline(time.Now().Add(firstWait))
		if err != os.ErrInvalid {
			if err != nil {
				return err
			}
			_, err = payload.ReadOnceFrom(conn)
			if err != nil && !isTimeout(err) {
				return fmt.Errorf("first payload: %w", err)
			}
			err = conn.SetReadDeadline(time.Time{})
			if err != nil {
				payload.Release()
				return err
			}
		}
		_, err = out.Write(payload.Bytes())
		if err != nil {
			return fmt.Errorf("first payload: %w", err)
		}
		payload.Release()
	}
	return copyConn(conn, out)
}
