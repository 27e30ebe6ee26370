// Package fixed sends packets of a header and pooled data.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

const (
	headerSize = 45
	tinySize   = 1 << 20
	blockSize  = 128 << 10
	poolSize   = 8192
)

func newTinyPool() *sync.Pool {
	return &sync.Pool{New: func() any { return make([]byte, tinySize) }}
}

// A bufferPool holds slices of some sizes.
type bufferPool struct {
	pools [2]chan []byte
	tiny  *sync.Pool
}

func newBufferPool() *bufferPool {
	p := &bufferPool{}
	p.pools[0] = make(chan []byte, poolSize)
	p.pools[1] = make(chan []byte, poolSize)
	p.tiny = newTinyPool()
	return p
}

func (p *bufferPool) get(index, size int) (data []byte) {
	select {
	case data = <-p.pools[index]:
		return
	default:
		return make([]byte, size)
	}
}

func (p *bufferPool) Get(size int) ([]byte, error) {
	if size == headerSize {
		return p.get(0, size), nil
	} else if size == blockSize {
		return p.get(1, size), nil
	} else if size == tinySize {
		return p.tiny.Get().([]byte), nil
	}
	return nil, errors.New("no such size")
}

func (p *bufferPool) put(index int, data []byte) {
	select {
	case p.pools[index] <- data:
	default:
	}
}

func (p *bufferPool) Put(data []byte) {
	if data == nil {
		return
	}
	size := len(data)
	if size == headerSize {
		p.put(0, data)
	} else if size == blockSize {
		p.put(1, data)
	} else if size == tinySize {
		p.tiny.Put(data)
	}
}

var buffers = newBufferPool()

type packet struct {
	id   int64
	size int
	data []byte
}

func newWritePacket(id int64, tiny bool) *packet {
	p := &packet{id: id}
	if tiny {
		p.data, _ = buffers.Get(tinySize)
	} else {
		p.data, _ = buffers.Get(blockSize)
	}
	return p
}

func (p *packet) writeTo(w io.Writer) error {
	header, err := buffers.Get(headerSize)
	if err != nil {
		return err
	}
	defer buffers.Put(header)
	clear(header)
	binary.BigEndian.PutUint64(header, uint64(p.id))
	binary.BigEndian.PutUint32(header[8:], uint32(p.size))
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err = w.Write(p.data[:p.size])
	return err
}

type handler struct {
	w    io.Writer
	next int64
}

func (h *handler) send(content []byte) error {
	p := newWritePacket(h.next, len(content) > blockSize)
	h.next++
	p.size = copy(p.data, content)
	err := p.writeTo(h.w)
	buffers.Put(p.data)
	return err
}
