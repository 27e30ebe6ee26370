package oct003

import (
	"io"
	"sync"
)

var frames = sync.Pool{New: func() any { return new([512]byte) }}

// A frameHeader has so many bits that many paths come to the end of it.
type frameHeader struct {
	fin, masked, compressed, control, text, first bool
	length, opcode, offset                        int
}

// bad: the paths differ in the header, not in the frame.
func manyHeaders(r io.Reader, w io.Writer, h *frameHeader) error {
	p := frames.Get().(*[512]byte)
	defer frames.Put(p) // want "OCT003: p is released twice"
	if _, err := io.ReadFull(r, p[:]); err != nil {
		return err
	}
	if p[0]&0x80 != 0 {
		h.fin = true
	}
	if p[0]&0x40 != 0 {
		h.compressed = true
	}
	if p[0]&0x08 != 0 {
		h.control = true
	}
	if p[1]&0x80 != 0 {
		h.masked = true
	}
	switch p[1] & 0x7f {
	case 126:
		h.length = 2
	case 127:
		h.length = 8
	default:
		h.offset = 2
	}
	if p[0]&0x0f == 1 {
		h.text = true
	}
	if p[2] != 0 {
		h.first = true
	}
	if _, err := w.Write(p[:]); err != nil {
		frames.Put(p)
		return err
	}
	return nil
}

// ok: of many paths, each releases the frame where it says that it does.
func manyHeadersOnce(r io.Reader, w io.Writer, h *frameHeader) error {
	p := frames.Get().(*[512]byte)
	released := false
	defer func() {
		if !released {
			frames.Put(p)
		}
	}()
	if _, err := io.ReadFull(r, p[:]); err != nil {
		return err
	}
	if p[0]&0x80 != 0 {
		h.fin = true
	}
	if p[0]&0x40 != 0 {
		h.compressed = true
	}
	if p[0]&0x08 != 0 {
		h.control = true
	}
	if p[1]&0x80 != 0 {
		h.masked = true
	}
	switch p[1] & 0x7f {
	case 126:
		h.length = 2
	case 127:
		h.length = 8
	default:
		h.offset = 2
	}
	if p[0]&0x0f == 1 {
		h.text = true
	}
	if p[2] != 0 {
		h.first = true
	}
	if _, err := w.Write(p[:]); err != nil {
		released = true
		frames.Put(p)
		return err
	}
	return nil
}

// ok: whether the frame is still there tells the field that held it.
func manyHeadersInField(r io.Reader, w io.Writer, h *frameHeader) error {
	var held struct{ p *[512]byte }
	held.p = frames.Get().(*[512]byte)
	defer func() {
		if held.p != nil {
			frames.Put(held.p)
		}
	}()
	if _, err := io.ReadFull(r, held.p[:]); err != nil {
		return err
	}
	if held.p[0]&0x80 != 0 {
		h.fin = true
	}
	if held.p[0]&0x40 != 0 {
		h.compressed = true
	}
	if held.p[0]&0x08 != 0 {
		h.control = true
	}
	if held.p[1]&0x80 != 0 {
		h.masked = true
	}
	switch held.p[1] & 0x7f {
	case 126:
		h.length = 2
	case 127:
		h.length = 8
	default:
		h.offset = 2
	}
	if held.p[0]&0x0f == 1 {
		h.text = true
	}
	if held.p[2] != 0 {
		h.first = true
	}
	if _, err := w.Write(held.p[:]); err != nil {
		frames.Put(held.p)
		held.p = nil
		return err
	}
	return nil
}
