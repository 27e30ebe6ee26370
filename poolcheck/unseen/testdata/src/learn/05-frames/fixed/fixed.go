// Package fixed runs queries over a connection whose frames are pooled.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

const defaultBufSize = 128

var framers = sync.Pool{New: func() any {
	return &framer{readBuffer: make([]byte, defaultBufSize)}
}}

// A framer reads one frame at a time into its buffer.
type framer struct {
	r          io.Reader
	head       [9]byte
	readBuffer []byte
	rbuf       []byte
}

func newFramer(r io.Reader) *framer {
	f := framers.Get().(*framer)
	f.r = r
	f.rbuf = f.readBuffer[:0]
	return f
}

type frame interface {
	kind() byte
}

type frameHeader struct {
	op     byte
	length int
}

func (h *frameHeader) kind() byte { return h.op }

type rowsFrame struct {
	frameHeader
	pageState []byte
	rows      [][]byte
}

type voidFrame struct{ frameHeader }

func (f *framer) readInt() int {
	n := int(int32(binary.BigEndian.Uint32(f.rbuf)))
	f.rbuf = f.rbuf[4:]
	return n
}

func (f *framer) readBytes() []byte {
	size := f.readInt()
	if size < 0 {
		return nil
	}
	p := make([]byte, size)
	copy(p, f.rbuf[:size])
	f.rbuf = f.rbuf[size:]
	return p
}

func (f *framer) parseFrame() (frame, error) {
	if _, err := io.ReadFull(f.r, f.head[:]); err != nil {
		return nil, err
	}
	h := frameHeader{op: f.head[4], length: int(binary.BigEndian.Uint32(f.head[5:]))}
	if cap(f.readBuffer) < h.length {
		f.readBuffer = make([]byte, h.length)
	}
	f.rbuf = f.readBuffer[:h.length]
	if _, err := io.ReadFull(f.r, f.rbuf); err != nil {
		return nil, err
	}
	switch h.op {
	case 0:
		return &voidFrame{h}, nil
	case 1:
		x := &rowsFrame{frameHeader: h, pageState: f.readBytes()}
		for n := f.readInt(); n > 0; n-- {
			x.rows = append(x.rows, f.readBytes())
		}
		return x, nil
	}
	return nil, errors.New("unknown frame")
}

type iter struct {
	rows [][]byte
	next []byte
	err  error
}

type conn struct{ rw io.ReadWriter }

func (c *conn) exec(query []byte) (frame, error) {
	f := newFramer(c.rw)
	if _, err := c.rw.Write(query); err != nil {
		framers.Put(f)
		return nil, err
	}
	x, err := f.parseFrame()
	framers.Put(f)
	return x, err
}

func (c *conn) executeQuery(query []byte) *iter {
	resp, err := c.exec(query)
	if err != nil {
		return &iter{err: err}
	}

	switch x := resp.(type) {
	case *voidFrame:
		return &iter{}
	case *rowsFrame:
		it := &iter{rows: x.rows}
		if len(x.pageState) > 0 {
			it.next = x.pageState
		}
		return it
	}
	return &iter{err: errors.New("unexpected frame")}
}
