// Package bug reads the messages of a web socket, of which some are compressed or
// come in fragments.
package bug

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"unicode/utf8"
)

type opcode byte

const (
	opContinuation opcode = 0
	opText         opcode = 1
)

var (
	errProtocol = errors.New("peer breaks the protocol")
	errTooLarge = errors.New("message is too large")
	errEncoding = errors.New("text is no UTF-8")

	flateTail = []byte{0, 0, 0xff, 0xff, 1, 0, 0, 0xff, 0xff}
)

// A bufferPool has a pool for each size. The first size stands for no pool at all.
type bufferPool struct {
	pools  [6]sync.Pool
	limits [6]int
}

var binaryPool = newBufferPool(0, 128, 1<<10, 4<<10, 16<<10, 128<<10)

func newBufferPool(limits ...int) *bufferPool {
	p := new(bufferPool)
	for i := range p.limits {
		p.limits[i] = limits[i]
		p.pools[i].New = func() any { return bytes.NewBuffer(make([]byte, 0, limits[i])) }
	}
	return p
}

// Get returns a buffer with room for n bytes, and the pool that it is of.
func (p *bufferPool) Get(n int) (*bytes.Buffer, int) {
	for i := 1; i < len(p.limits); i++ {
		if n <= p.limits[i] {
			b := p.pools[i].Get().(*bytes.Buffer)
			b.Reset()
			return b, i
		}
	}
	return bytes.NewBuffer(make([]byte, 0, n)), 0
}

// Put gives a buffer back to the pool that it is of.
func (p *bufferPool) Put(b *bytes.Buffer, index int) {
	if index == 0 || b == nil {
		return
	}
	p.pools[index].Put(b)
}

// A message belongs to the handler, which closes it.
type message struct {
	opcode     opcode
	compressed bool
	data       *bytes.Buffer
	index      int
}

func (m *message) Bytes() []byte { return m.data.Bytes() }

func (m *message) Close() error {
	binaryPool.Put(m.data, m.index)
	m.data = nil
	return nil
}

// A decompressor is shared by many connections.
type decompressor struct {
	mu  sync.Mutex
	out bytes.Buffer
	fr  io.ReadCloser
}

func (d *decompressor) Decompress(src *bytes.Buffer) (*bytes.Buffer, int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.out.Reset()
	in := io.MultiReader(bytes.NewReader(src.Bytes()), bytes.NewReader(flateTail))
	if err := d.fr.(flate.Resetter).Reset(in, nil); err != nil {
		return nil, 0, err
	}
	if _, err := io.Copy(&d.out, d.fr); err != nil {
		return nil, 0, err
	}
	dst, index := binaryPool.Get(d.out.Len())
	_, _ = d.out.WriteTo(dst)
	return dst, index, nil
}

type frameHeader struct {
	fin        bool
	compressed bool
	opcode     opcode
	length     int
}

func readHeader(br *bufio.Reader) (h frameHeader, err error) {
	var b [10]byte
	if _, err = io.ReadFull(br, b[:]); err != nil {
		return h, err
	}
	h.fin, h.compressed, h.opcode = b[0]&0x80 != 0, b[0]&0x40 != 0, opcode(b[0]&0x0f)
	h.length = int(binary.BigEndian.Uint32(b[2:]))
	return h, nil
}

// A continuation is what has come of a message in fragments.
type continuation struct {
	initialized bool
	compressed  bool
	opcode      opcode
	buffer      *bytes.Buffer
}

type handler interface {
	OnMessage(c *conn, m *message)
}

type conn struct {
	br           *bufio.Reader
	handler      handler
	decompressor *decompressor
	maxPayload   int
	fragments    continuation
}

func (c *conn) readMessage() error {
	h, err := readHeader(c.br)
	if err != nil {
		return err
	}
	buf, index := binaryPool.Get(h.length)
	if _, err := io.CopyN(buf, c.br, int64(h.length)); err != nil {
		return err
	}
	if h.opcode != opContinuation && c.fragments.initialized {
		return errProtocol
	}
	if h.fin && h.opcode != opContinuation {
		return c.emit(&message{opcode: h.opcode, compressed: h.compressed, data: buf, index: index})
	}

	if !h.fin && h.opcode != opContinuation {
		c.fragments = continuation{
			initialized: true,
			compressed:  h.compressed,
			opcode:      h.opcode,
			buffer:      new(bytes.Buffer),
		}
	}
	if !c.fragments.initialized {
		return errProtocol
	}
	if _, err := buf.WriteTo(c.fragments.buffer); err != nil {
		return err
	}
	binaryPool.Put(buf, index)
	if c.fragments.buffer.Len() > c.maxPayload {
		return errTooLarge
	}
	if !h.fin {
		return nil
	}
	m := &message{opcode: c.fragments.opcode, compressed: c.fragments.compressed, data: c.fragments.buffer}
	c.fragments = continuation{}
	return c.emit(m)
}

// emit gives a message to the handler.
func (c *conn) emit(m *message) error {
	if m.compressed {
		data, index := m.data, m.index
		var err error
		m.data, m.index, err = c.decompressor.Decompress(data)
		binaryPool.Put(data, index)
		if err != nil {
			return err
		}
	}
	if m.opcode == opText && !utf8.Valid(m.Bytes()) {
		return errEncoding
	}
	c.handler.OnMessage(c, m)
	return nil
}
