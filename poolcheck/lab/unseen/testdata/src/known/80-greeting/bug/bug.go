// Package bug opens connections: the two sides tell each other their settings,
// in frames that come from pools.
package bug

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

type frameType uint8

const (
	frameSettings     frameType = 4
	frameWindowUpdate frameType = 8
)

const (
	headerSize  = 9
	maxFrame    = 1 << 14
	firstWindow = 1<<16 - 1
	flagAck     = 1
)

var errUnknown = errors.New("unknown frame")

// A frame is what a frame header has behind it.
type frame interface {
	Type() frameType
	Reset()
	encode(h *frameHeader)
	decode(h *frameHeader) error
}

type settings struct {
	ack    bool
	window uint32
}

func (s *settings) Type() frameType { return frameSettings }
func (s *settings) Reset()          { *s = settings{} }

func (s *settings) encode(h *frameHeader) {
	if s.ack {
		h.flags |= flagAck
		return
	}
	h.payload = binary.BigEndian.AppendUint32(h.payload, s.window)
}

func (s *settings) decode(h *frameHeader) error {
	s.ack = h.flags&flagAck != 0
	if p := h.payload; len(p) == 4 {
		s.window = binary.BigEndian.Uint32(p)
	}
	return nil
}

type windowUpdate struct{ increment uint32 }

func (w *windowUpdate) Type() frameType { return frameWindowUpdate }
func (w *windowUpdate) Reset()          { w.increment = 0 }

func (w *windowUpdate) encode(h *frameHeader) {
	h.payload = binary.BigEndian.AppendUint32(h.payload, w.increment)
}

func (w *windowUpdate) decode(h *frameHeader) error {
	if len(h.payload) != 4 {
		return io.ErrUnexpectedEOF
	}
	w.increment = binary.BigEndian.Uint32(h.payload)
	return nil
}

var framePools = map[frameType]*sync.Pool{
	frameSettings:     {New: func() any { return new(settings) }},
	frameWindowUpdate: {New: func() any { return new(windowUpdate) }},
}

func acquireFrame(t frameType) frame {
	f := framePools[t].Get().(frame)
	f.Reset()
	return f
}

func releaseFrame(f frame) {
	if f == nil {
		return
	}
	framePools[f.Type()].Put(f)
}

var headers = sync.Pool{New: func() any { return new(frameHeader) }}

// A frameHeader is for one goroutine.
type frameHeader struct {
	kind    frameType
	flags   uint8
	stream  uint32
	raw     [headerSize]byte
	payload []byte
	body    frame
}

func acquireHeader() *frameHeader {
	h := headers.Get().(*frameHeader)
	h.reset()
	return h
}

// releaseHeader gives the body back, too.
func releaseHeader(h *frameHeader) {
	releaseFrame(h.body)
	h.body = nil
	headers.Put(h)
}

func (h *frameHeader) reset() {
	h.kind, h.flags, h.stream = 0, 0, 0
	h.payload = h.payload[:0]
	h.body = nil
}

func (h *frameHeader) SetBody(f frame) {
	h.kind = f.Type()
	h.body = f
}

func (h *frameHeader) WriteTo(w io.Writer) (int64, error) {
	h.payload = h.payload[:0]
	h.body.encode(h)
	n := len(h.payload)
	h.raw[0], h.raw[1], h.raw[2] = byte(n>>16), byte(n>>8), byte(n)
	h.raw[3], h.raw[4] = byte(h.kind), h.flags
	binary.BigEndian.PutUint32(h.raw[5:], h.stream)
	if _, err := w.Write(h.raw[:]); err != nil {
		return 0, err
	}
	m, err := w.Write(h.payload)
	return int64(headerSize + m), err
}

func (h *frameHeader) readFrom(r io.Reader) error {
	if _, err := io.ReadFull(r, h.raw[:]); err != nil {
		return err
	}
	n := int(h.raw[0])<<16 | int(h.raw[1])<<8 | int(h.raw[2])
	h.kind, h.flags = frameType(h.raw[3]), h.raw[4]
	if n > maxFrame || framePools[h.kind] == nil {
		return errUnknown
	}
	h.payload = append(h.payload[:0], make([]byte, n)...)
	if _, err := io.ReadFull(r, h.payload); err != nil {
		return err
	}
	h.body = acquireFrame(h.kind)
	return h.body.decode(h)
}

// readFrame returns a frame that the caller releases.
func readFrame(br *bufio.Reader) (*frameHeader, error) {
	h := acquireHeader()
	if err := h.readFrom(br); err != nil {
		releaseHeader(h)
		return nil, err
	}
	return h, nil
}

// greet writes the settings, and how much more the window may be.
func greet(bw *bufio.Writer, st *settings, window uint32) error {
	h := acquireHeader()
	defer releaseHeader(h)

	own := acquireFrame(frameSettings).(*settings)
	*own = *st
	h.SetBody(own)

	_, err := h.WriteTo(bw)
	if err == nil {
		h = acquireHeader()
		wu := acquireFrame(frameWindowUpdate).(*windowUpdate)
		wu.increment = window
		h.SetBody(wu)

		_, err = h.WriteTo(bw)
		if err == nil {
			err = bw.Flush()
		}
	}
	return err
}

type conn struct {
	c       net.Conn
	br      *bufio.Reader
	bw      *bufio.Writer
	current settings
	server  settings
}

// Handshake greets the server, and answers its settings.
func (c *conn) Handshake() error {
	if err := greet(c.bw, &c.current, c.current.window-firstWindow); err != nil {
		c.c.Close()
		return err
	}

	h, err := readFrame(c.br)
	if err == nil && h.kind != frameSettings {
		c.c.Close()
		return fmt.Errorf("frame of type %d, not settings", h.kind)
	} else if err == nil {
		st := h.body.(*settings)
		if !st.ack {
			c.server = *st

			h = acquireHeader()
			answer := acquireFrame(frameSettings).(*settings)
			answer.ack = true
			h.SetBody(answer)

			if _, err = h.WriteTo(c.bw); err == nil {
				err = c.bw.Flush()
			}
			releaseHeader(h)
		}
	}

	if err != nil {
		c.c.Close()
	} else {
		releaseHeader(h)
	}
	return err
}
