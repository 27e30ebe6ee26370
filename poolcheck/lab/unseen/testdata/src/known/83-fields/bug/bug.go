// Package bug writes the header of a request as a frame, packed field by field.
package bug

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
	"sync"
)

type frameType uint8

const frameHeaders frameType = 1

const flagEndHeaders = 4

// A headerField is a name and its value. It comes from a pool.
type headerField struct{ key, value []byte }

var fields = sync.Pool{New: func() any { return new(headerField) }}

func acquireField() *headerField { return fields.Get().(*headerField) }

func releaseField(hf *headerField) {
	hf.reset()
	fields.Put(hf)
}

func (hf *headerField) reset() {
	hf.key = hf.key[:0]
	hf.value = hf.value[:0]
}

func (hf *headerField) set(k string, v []byte) {
	hf.key = append(hf.key[:0], k...)
	hf.value = append(hf.value[:0], v...)
}

type frame interface {
	Type() frameType
	Reset()
	encode(h *frameHeader)
}

type headersFrame struct {
	raw []byte
}

func (f *headersFrame) Type() frameType { return frameHeaders }

func (f *headersFrame) Reset() {
	f.raw = f.raw[:0]
}

func (f *headersFrame) encode(h *frameHeader) {
	h.flags |= flagEndHeaders
	h.payload = append(h.payload, f.raw...)
}

var framePools = [...]sync.Pool{
	frameHeaders: {New: func() any { return new(headersFrame) }},
}

func acquireFrame(t frameType) frame {
	f := framePools[t].Get().(frame)
	f.Reset()
	return f
}

func releaseFrame(f frame) {
	if f != nil {
		framePools[f.Type()].Put(f)
	}
}

var headerPool = sync.Pool{New: func() any { return new(frameHeader) }}

type frameHeader struct {
	flags   uint8
	stream  uint32
	payload []byte
	body    frame
}

func acquireHeader() *frameHeader {
	h := headerPool.Get().(*frameHeader)
	h.flags, h.stream, h.body = 0, 0, nil
	return h
}

// releaseHeader gives the body back, too.
func releaseHeader(h *frameHeader) {
	releaseFrame(h.body)
	h.body = nil
	headerPool.Put(h)
}

func (h *frameHeader) WriteTo(w io.Writer) (int64, error) {
	h.flags = 0
	h.payload = h.payload[:0]
	h.body.encode(h)
	var raw [9]byte
	n := len(h.payload)
	raw[0], raw[1], raw[2] = byte(n>>16), byte(n>>8), byte(n)
	raw[3], raw[4] = byte(h.body.Type()), h.flags
	binary.BigEndian.PutUint32(raw[5:], h.stream)
	if _, err := w.Write(raw[:]); err != nil {
		return 0, err
	}
	m, err := w.Write(h.payload)
	return int64(len(raw) + m), err
}

func appendField(f *headersFrame, hf *headerField) {
	f.raw = append(append(f.raw, 0), hf.key...)
	f.raw = append(append(f.raw, ':'), hf.value...)
}

type request struct {
	method, host []byte
	header       map[string][]byte
}

func (r *request) visitAll(visit func(k string, v []byte)) {
	for k, v := range r.header {
		visit(k, v)
	}
}

type conn struct {
	bw     *bufio.Writer
	nextID uint32
}

func (c *conn) writeRequest(req *request) (uint32, error) {
	id := c.nextID
	c.nextID += 2

	fr := acquireHeader()
	defer releaseHeader(fr)
	fr.stream = id

	h := acquireFrame(frameHeaders).(*headersFrame)
	fr.body = h

	hf := acquireField()

	hf.set(":authority", req.host)
	appendField(h, hf)

	hf.set(":method", req.method)
	appendField(h, hf)

	req.visitAll(func(k string, v []byte) {
		hf.set(strings.ToLower(k), v)
		appendField(h, hf)
	})
	_, err := fr.WriteTo(c.bw)
	if err == nil {
		err = c.bw.Flush()
	}
	return id, err
}
