// Package fixed writes batches of columns to a stream. The memory of columns is
// counted by references and comes from an allocator.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"
)

// An allocator has a pool for each power of two.
type allocator struct{ pools [32]sync.Pool }

func (a *allocator) allocate(size int) []byte {
	class := bits.Len(uint(max(size, 64) - 1))
	if p, ok := a.pools[class].Get().(*[]byte); ok {
		return (*p)[:size]
	}
	return make([]byte, size, 1<<class)
}

func (a *allocator) free(p []byte) {
	p = p[:cap(p)]
	a.pools[bits.Len(uint(cap(p)-1))].Put(&p)
}

// A buffer frees its memory when the last reference to it is released.
type buffer struct {
	refs atomic.Int32
	mem  *allocator
	data []byte
}

func newBuffer(mem *allocator, size int) *buffer {
	b := &buffer{mem: mem, data: mem.allocate(size)}
	b.refs.Store(1)
	return b
}

func (b *buffer) retain() { b.refs.Add(1) }

func (b *buffer) release() {
	if b.refs.Add(-1) == 0 {
		b.mem.free(b.data)
		b.data = nil
	}
}

type kind byte

const (
	fixed64 kind = iota // values of eight bytes
	text                // offsets of four bytes, and the bytes
)

// A column has rows from an offset on.
type column struct {
	kind           kind
	offset, length int
	buffers        []*buffer
}

// newColumn takes over the references to the buffers.
func newColumn(kind kind, length int, buffers ...*buffer) *column {
	return &column{kind: kind, length: length, buffers: buffers}
}

// slice returns a part of the rows, which has references of its own.
func (d *column) slice(from, to int) *column {
	s := &column{kind: d.kind, offset: d.offset + from, length: to - from}
	for _, b := range d.buffers {
		b.retain()
		s.buffers = append(s.buffers, b)
	}
	return s
}

func (d *column) release() {
	for _, b := range d.buffers {
		b.release()
	}
	d.buffers = nil
}

func (d *column) textOffset(row int) uint32 {
	return binary.LittleEndian.Uint32(d.buffers[0].data[4*(d.offset+row):])
}

// newTexts copies rows of text into a column.
func newTexts(mem *allocator, rows []string) *column {
	size := 0
	for _, s := range rows {
		size += len(s)
	}
	offsets := newBuffer(mem, 4*(len(rows)+1))
	values := newBuffer(mem, size)
	end := 0
	for i, s := range rows {
		binary.LittleEndian.PutUint32(offsets.data[4*i:], uint32(end))
		end += copy(values.data[end:], s)
	}
	binary.LittleEndian.PutUint32(offsets.data[4*len(rows):], uint32(end))
	return newColumn(text, len(rows), offsets, values)
}

// A part is what is to be written of a buffer.
type part struct {
	buf      *buffer
	from, to int
}

// A payload has the parts of a message. It has a reference to each of its buffers.
type payload struct{ parts []part }

func (p *payload) release() {
	for _, part := range p.parts {
		part.buf.release()
	}
	p.parts = nil
}

var errKind = errors.New("columns of this kind cannot be written")

type encoder struct{ mem *allocator }

func (e *encoder) collect(p *payload, cols []*column) error {
	for _, c := range cols {
		if err := e.add(p, c); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) add(p *payload, d *column) error {
	switch d.kind {
	case fixed64:
		values := d.buffers[0]
		begin, end := 8*d.offset, 8*(d.offset+d.length)
		if begin > 0 || end < len(values.data) {
			rows := d.slice(0, d.length)
			defer rows.release()
			values = rows.buffers[0]
		}
		values.retain()
		p.parts = append(p.parts, part{values, begin, end})

	case text:
		offsets := e.fromZero(d)
		values := d.buffers[1]
		begin, end := int(d.textOffset(0)), int(d.textOffset(d.length))

		switch {
		case begin > 0 || end < len(values.data):
			// Only the bytes of these rows are written.
			rows := d.slice(0, d.length)
			defer rows.release()
			values = rows.buffers[1]
			values.retain()
		default:
			values.retain()
		}
		p.parts = append(p.parts, part{offsets, 0, len(offsets.data)}, part{values, begin, end})

	default:
		return errKind
	}
	return nil
}

// fromZero returns the offsets of the rows as if they were the first ones. The
// reference to them is the caller's.
func (e *encoder) fromZero(d *column) *buffer {
	if d.offset == 0 && d.textOffset(0) == 0 && len(d.buffers[0].data) == 4*(d.length+1) {
		d.buffers[0].retain()
		return d.buffers[0]
	}
	shifted := newBuffer(e.mem, 4*(d.length+1))
	for i := range d.length + 1 {
		binary.LittleEndian.PutUint32(shifted.data[4*i:], d.textOffset(i)-d.textOffset(0))
	}
	return shifted
}

type writer struct {
	w   io.Writer
	enc encoder
}

func newWriter(w io.Writer, mem *allocator) *writer {
	return &writer{w: w, enc: encoder{mem: mem}}
}

// write writes a batch, which stays the caller's.
func (w *writer) write(cols []*column) error {
	var p payload
	defer p.release()
	if err := w.enc.collect(&p, cols); err != nil {
		return err
	}
	for _, part := range p.parts {
		if err := binary.Write(w.w, binary.LittleEndian, uint32(part.to-part.from)); err != nil {
			return err
		}
		if _, err := w.w.Write(part.buf.data[part.from:part.to]); err != nil {
			return err
		}
	}
	return nil
}

// writePages writes rows of text in pages of at most size rows.
func writePages(w io.Writer, mem *allocator, rows []string, size int) error {
	all := newTexts(mem, rows)
	defer all.release()
	out := newWriter(w, mem)
	for from := 0; from < len(rows); from += size {
		page := all.slice(from, min(from+size, len(rows)))
		err := out.write([]*column{page})
		page.release()
		if err != nil {
			return err
		}
	}
	return nil
}
