// Package fixed exchanges messages with the kernel.
package fixed

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"sync"
)

const (
	headerLen = 16
	alignTo   = 4

	typeError = 2
	typeDone  = 3

	flagMulti = 2
)

func align(n int) int { return (n + alignTo - 1) &^ (alignTo - 1) }

// A Header begins each message.
type Header struct {
	Length   uint32
	Type     uint16
	Flags    uint16
	Sequence uint32
	PID      uint32
}

// A Message has a header and what follows it.
type Message struct {
	Header Header
	Data   []byte
}

var (
	errShort     = errors.New("not enough data for a message")
	errTruncated = errors.New("message truncated")
	errSequence  = errors.New("reply has another sequence")
)

func (m *Message) UnmarshalBinary(b []byte) error {
	if len(b) < headerLen {
		return errShort
	}
	if len(b) != align(len(b)) {
		return errShort
	}
	m.Header.Length = binary.NativeEndian.Uint32(b)
	m.Header.Type = binary.NativeEndian.Uint16(b[4:])
	m.Header.Flags = binary.NativeEndian.Uint16(b[6:])
	m.Header.Sequence = binary.NativeEndian.Uint32(b[8:])
	m.Header.PID = binary.NativeEndian.Uint32(b[12:])
	if int(m.Header.Length) > len(b) || m.Header.Length < headerLen {
		return errShort
	}
	m.Data = b[headerLen:m.Header.Length]
	return nil
}

func (m *Message) marshal() []byte {
	b := make([]byte, align(headerLen+len(m.Data)))
	binary.NativeEndian.PutUint32(b, uint32(headerLen+len(m.Data)))
	binary.NativeEndian.PutUint16(b[4:], m.Header.Type)
	binary.NativeEndian.PutUint16(b[6:], m.Header.Flags)
	binary.NativeEndian.PutUint32(b[8:], m.Header.Sequence)
	copy(b[headerLen:], m.Data)
	return b
}

// parseMessages returns an iterator over the messages that b has.
func parseMessages(b []byte) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for len(b) >= headerLen {
			n := align(int(binary.NativeEndian.Uint32(b)))
			if n > len(b) {
				yield(Message{}, errShort)
				return
			}
			var m Message
			if err := m.UnmarshalBinary(b[:n]); err != nil {
				yield(Message{}, err)
				return
			}
			if !yield(m, nil) {
				return
			}
			b = b[n:]
		}
	}
}

// A socket receives one datagram a call. With peek set it stays where it is.
type socket interface {
	Send(b []byte) error
	Recv(ctx context.Context, b []byte, peek bool) (n int, truncated bool, err error)
}

// A Conn receives messages, into buffers of a pool if it has one, and else into
// new ones.
type Conn struct {
	s    socket
	pool *sync.Pool
	seq  uint32
}

// NewConn returns a connection whose messages are not longer than bufferSize,
// or of any length if that is zero.
func NewConn(s socket, bufferSize int) *Conn {
	c := &Conn{s: s}
	if bufferSize > 0 {
		c.pool = &sync.Pool{New: func() any {
			b := make([]byte, bufferSize)
			return &b
		}}
	}
	return c
}

// takeBuffer returns a buffer to receive into, and what to call when it is not
// used any more.
func (c *Conn) takeBuffer() ([]byte, func(), error) {
	if c.pool != nil {
		bp := c.pool.Get().(*[]byte)
		return *bp, func() { c.pool.Put(bp) }, nil
	}
	n, _, err := c.s.Recv(context.Background(), nil, true)
	if err != nil {
		return nil, nil, err
	}
	return make([]byte, align(n)), func() {}, nil
}

// keep returns what was received, in memory that stays with the messages.
func (c *Conn) keep(b []byte, n int) []byte {
	if c.pool == nil {
		return b[:align(n)]
	}
	out := make([]byte, align(n))
	copy(out, b[:n])
	return out
}

// Next returns an iterator over the messages that come next.
func (c *Conn) Next() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		b, release, err := c.takeBuffer()
		if err != nil {
			yield(Message{}, err)
			return
		}
		defer release()

		n, truncated, err := c.s.Recv(context.Background(), b, false)
		if err != nil {
			yield(Message{}, err)
			return
		}
		if truncated {
			yield(Message{}, errTruncated)
			return
		}
		for msg, err := range parseMessages(c.keep(b, n)) {
			if err != nil {
				yield(Message{}, err)
				return
			}
			if !yield(msg, nil) {
				return
			}
		}
	}
}

// Receive returns the messages that come next, up to the end of a sequence of
// several.
func (c *Conn) Receive() ([]Message, error) {
	var msgs []Message
	for {
		multi := false
		for msg, err := range c.Next() {
			if err != nil {
				return nil, err
			}
			if msg.Header.Flags&flagMulti != 0 {
				multi = msg.Header.Type != typeDone
			}
			msgs = append(msgs, msg)
		}
		if !multi {
			return msgs, nil
		}
	}
}

// Execute sends a message and returns the replies.
func (c *Conn) Execute(m Message) ([]Message, error) {
	c.seq++
	m.Header.Sequence = c.seq
	if err := c.s.Send(m.marshal()); err != nil {
		return nil, err
	}
	msgs, err := c.Receive()
	if err != nil {
		return nil, err
	}
	for _, msg := range msgs {
		if msg.Header.Sequence != c.seq {
			return nil, errSequence
		}
		if msg.Header.Type == typeError && len(msg.Data) >= 4 {
			if code := int32(binary.NativeEndian.Uint32(msg.Data)); code != 0 {
				return nil, errors.New("request failed")
			}
		}
	}
	return msgs, nil
}
