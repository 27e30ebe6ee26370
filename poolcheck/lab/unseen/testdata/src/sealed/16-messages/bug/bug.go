// Package bug reads messages from the bytes of a connection. A message comes in
// one or more frames, and may be compressed. Its bytes come from an allocator.
package bug

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/bits"
	"net"
	"sync"
	"unicode/utf8"
)

const (
	more   = 0
	text   = 1
	binary = 2
	ping   = 9

	maxControl = 125
)

var (
	errTooLong = errors.New("message is too long")
	errUTF8    = errors.New("text is not UTF-8")
	errKind    = errors.New("unknown kind of frame")
)

// An allocator has slices whose capacities are powers of two.
type allocator struct{ pools [24]sync.Pool }

func (a *allocator) malloc(n int) []byte {
	i := bits.Len(uint(max(n, 64) - 1))
	if i >= len(a.pools) {
		return make([]byte, n)
	}
	if b, ok := a.pools[i].Get().(*[]byte); ok {
		return (*b)[:n]
	}
	return make([]byte, n, 1<<i)
}

func (a *allocator) free(b []byte) {
	if cap(b) < 64 {
		return
	}
	i := bits.Len(uint(cap(b) - 1))
	if i < len(a.pools) && cap(b) == 1<<i {
		a.pools[i].Put(&b)
	}
}

// extend appends p to b. If b is too small it frees it and returns another one.
func (a *allocator) extend(b, p []byte) []byte {
	n := len(b) + len(p)
	if n <= cap(b) {
		return append(b, p...)
	}
	larger := a.malloc(n)
	copy(larger[copy(larger, b):], p)
	a.free(b)
	return larger
}

// readAll reads to the end, or to an error, into a slice of the allocator.
func (a *allocator) readAll(r io.Reader, guess int) ([]byte, error) {
	b := a.malloc(guess)[:0]
	for {
		if len(b) == cap(b) {
			larger := a.malloc(2 * cap(b))[:len(b)]
			copy(larger, b)
			a.free(b)
			b = larger
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		} else if err != nil {
			return b, err
		}
	}
}

// The handlers of a conn may be nil. Their bytes are freed when they return.
type conn struct {
	net.Conn
	alloc     *allocator
	limit     int
	run       func(func()) bool // in the background, or not at all
	onFrame   func(kind byte, last bool, data []byte)
	onMessage func(kind byte, data []byte)
	onPing    func(data []byte)

	mu     sync.Mutex
	closed bool
	rest   []byte // what was read of an incomplete frame

	kind    byte // of the message whose frames come in
	packed  bool
	message []byte
}

type frame struct {
	kind   byte
	last   bool
	packed bool
	body   []byte
}

// cut returns the first frame of data, if all of it is there, and what follows.
func (c *conn) cut(data []byte) (f frame, ok bool, rest []byte, err error) {
	if len(data) < 4 {
		return frame{}, false, data, nil
	}
	n := int(data[2])<<8 | int(data[3])
	f = frame{kind: data[0] & 0xf, last: data[0]&0x80 != 0, packed: data[0]&0x40 != 0}
	if len(c.message)+n > c.limit || f.kind == ping && n > maxControl {
		return frame{}, false, data, errTooLong
	}
	if len(data) < 4+n {
		return frame{}, false, data, nil
	}
	f.body = data[4 : 4+n]
	return f, true, data[4+n:], nil
}

// deliver calls a handler with a slice of the allocator, and frees the slice
// afterwards.
func (c *conn) deliver(data []byte, handle func()) {
	done := c.run(func() {
		handle()
		c.alloc.free(data)
	})
	if !done {
		c.alloc.free(data)
	}
}

// parse takes what was read from the connection. The bytes remain those of the
// caller.
func (c *conn) parse(data []byte) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return net.ErrClosed
	}
	joined := false
	if len(c.rest) > 0 {
		c.rest = c.alloc.extend(c.rest, data)
		data = c.rest
		joined = true
	}
	c.mu.Unlock()

	var part, message, control []byte
	for len(data) > 0 {
		var f frame
		var ok bool
		err := func() (err error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.closed {
				return net.ErrClosed
			}
			f, ok, data, err = c.cut(data)
			if err != nil || !ok {
				return err
			}
			switch f.kind {
			case more, text, binary:
				if c.kind == 0 {
					c.kind, c.packed = f.kind, f.packed
				}
				if c.onFrame != nil {
					part = c.alloc.malloc(len(f.body))
					copy(part, f.body)
					if c.kind == text && !c.packed && !utf8.Valid(part) {
						return errUTF8
					}
				}
				if c.onMessage != nil {
					c.message = c.alloc.extend(c.message, f.body)
					if f.last {
						message, c.message = c.message, nil
					}
				}
			case ping:
				if c.onPing != nil {
					control = c.alloc.malloc(len(f.body))
					copy(control, f.body)
				}
			default:
				return errKind
			}
			return nil
		}()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if f.kind == ping {
			if c.onPing != nil {
				b := control
				c.deliver(b, func() { c.onPing(b) })
			}
			continue
		}
		kind := c.kind
		if c.onFrame != nil {
			b := part
			c.deliver(b, func() { c.onFrame(kind, f.last, b) })
		}
		if !f.last {
			continue
		}
		if c.onMessage != nil {
			if c.packed {
				z := flate.NewReader(bytes.NewReader(message))
				plain, err := c.alloc.readAll(z, 2*len(message))
				c.alloc.free(message)
				message = plain
				if err != nil {
					return err
				}
			}
			b := message
			c.deliver(b, func() { c.onMessage(kind, b) })
		}
		c.kind, c.packed = 0, false
	}
	return c.keep(data, joined)
}

// keep remembers an incomplete frame. It is the end of the rest if that was
// joined with what was read.
func (c *conn) keep(data []byte, joined bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	switch {
	case len(data) == 0:
		c.alloc.free(c.rest)
		c.rest = nil
	case joined:
		c.rest = c.rest[:copy(c.rest, data)]
	default:
		c.rest = c.alloc.malloc(len(data))
		copy(c.rest, data)
	}
	return nil
}

func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.alloc.free(c.rest)
	c.alloc.free(c.message)
	c.rest, c.message = nil, nil
	return c.Conn.Close()
}
