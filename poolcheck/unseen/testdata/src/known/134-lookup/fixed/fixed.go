// Package fixed asks peers for what they know of a key, and answers them. Messages
// stand behind their lengths in streams.
package fixed

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"sync"
	"time"

	pool "github.com/libp2p/go-buffer-pool"
)

const (
	maxMessage  = 4 << 20
	readTimeout = time.Minute
	idleTimeout = 10 * time.Minute
	reuseTries  = 3
)

var errReadTimeout = errors.New("no answer in time")

// message is what peers send to each other.
type message struct {
	kind  byte
	key   string
	value []byte
}

// unmarshal copies what it needs of b.
func (m *message) unmarshal(b []byte) error {
	if len(b) == 0 {
		return errors.New("empty message")
	}
	n, used := binary.Uvarint(b[1:])
	if used <= 0 || n > uint64(len(b)-1-used) {
		return errors.New("bad key")
	}
	rest := b[1+used:]
	m.kind, m.key, m.value = b[0], string(rest[:n]), append([]byte(nil), rest[n:]...)
	return nil
}

func (m *message) writeTo(w *bufio.Writer) error {
	head := binary.AppendUvarint([]byte{m.kind}, uint64(len(m.key)))
	w.Write(binary.AppendUvarint(nil, uint64(len(head)+len(m.key)+len(m.value))))
	w.Write(head)
	w.WriteString(m.key)
	w.Write(m.value)
	return w.Flush()
}

var writers = sync.Pool{New: func() any { return bufio.NewWriter(nil) }}

func writeMessage(w io.Writer, m *message) error {
	bw := writers.Get().(*bufio.Writer)
	bw.Reset(w)
	err := m.writeTo(bw)
	bw.Reset(nil)
	writers.Put(bw)
	return err
}

// A messageReader reads one message after the other. What it gives is to be
// handed back by releaseMessage.
type messageReader interface {
	readMessage() ([]byte, error)
	releaseMessage(b []byte)
}

type varintReader struct {
	mu   sync.Mutex
	r    *bufio.Reader
	pool *pool.BufferPool
}

func newVarintReader(r io.Reader) messageReader {
	return &varintReader{r: bufio.NewReader(r), pool: pool.GlobalPool}
}

func (v *varintReader) readMessage() ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	n, err := binary.ReadUvarint(v.r)
	if err != nil {
		return nil, err
	}
	if n > maxMessage {
		return nil, errors.New("message too large")
	}
	b := v.pool.Get(int(n))
	// What was read is given with the error.
	read, err := io.ReadFull(v.r, b)
	return b[:read], err
}

func (v *varintReader) releaseMessage(b []byte) { v.pool.Put(b) }

type stream interface {
	io.ReadWriteCloser
	Reset()
	Peer() string
}

type handler func(ctx context.Context, peer string, req *message) (*message, error)

type node struct {
	ctx      context.Context
	open     func(ctx context.Context, peer string) (stream, error)
	handlers map[byte]handler
}

func (d *node) handleStream(s stream) {
	defer s.Reset()
	if d.handleMessages(s) {
		s.Close()
	}
}

// handleMessages says whether the stream came to an orderly end.
func (d *node) handleMessages(s stream) bool {
	r := newVarintReader(s)
	timer := time.AfterFunc(idleTimeout, s.Reset)
	defer timer.Stop()
	for {
		var req message
		b, err := r.readMessage()
		if err != nil {
			r.releaseMessage(b)
			if err == io.EOF {
				return true
			}
			log.Printf("%s: reading: %v", s.Peer(), err)
			return false
		}
		err = req.unmarshal(b)
		r.releaseMessage(b)
		if err != nil {
			log.Printf("%s: bad message: %v", s.Peer(), err)
			return false
		}
		timer.Reset(idleTimeout)

		handle := d.handlers[req.kind]
		if handle == nil {
			log.Printf("%s: no handler for messages of kind %d", s.Peer(), req.kind)
			return false
		}
		resp, err := handle(d.ctx, s.Peer(), &req)
		if err != nil {
			log.Printf("%s: %v", s.Peer(), err)
			return false
		}
		if resp == nil {
			continue
		}
		if err := writeMessage(s, resp); err != nil {
			log.Printf("%s: answering: %v", s.Peer(), err)
			return false
		}
	}
}

// sender sends requests to one peer, over one stream as long as that works.
type sender struct {
	mu     sync.Mutex
	node   *node
	peer   string
	s      stream
	r      messageReader
	single int
}

func (ms *sender) prepare(ctx context.Context) error {
	if ms.s != nil {
		return nil
	}
	s, err := ms.node.open(ctx, ms.peer)
	if err != nil {
		return err
	}
	ms.r = newVarintReader(s)
	ms.s = s
	return nil
}

// request sends a message and waits for the answer. It tries twice.
func (ms *sender) request(ctx context.Context, req *message) (*message, error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	retried := false
	for {
		if err := ms.prepare(ctx); err != nil {
			return nil, err
		}
		resp := new(message)
		err := writeMessage(ms.s, req)
		if err == nil {
			err = ms.readAnswer(ctx, resp)
		}
		if err != nil {
			ms.s.Reset()
			ms.s = nil
			if retried {
				return nil, err
			}
			log.Printf("%s: trying again: %v", ms.peer, err)
			retried = true
			continue
		}
		if ms.single > reuseTries {
			ms.s.Close()
			ms.s = nil
		} else if retried {
			ms.single++
		}
		return resp, nil
	}
}

func (ms *sender) readAnswer(ctx context.Context, resp *message) error {
	done := make(chan error, 1)
	go func(r messageReader) {
		b, err := r.readMessage()
		defer r.releaseMessage(b)
		if err != nil {
			done <- err
			return
		}
		done <- resp.unmarshal(b)
	}(ms.r)

	t := time.NewTimer(readTimeout)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return errReadTimeout
	}
}
