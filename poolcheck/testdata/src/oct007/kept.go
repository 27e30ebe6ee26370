package oct007

import (
	"bytes"
	"io"
	"sync"
)

var lineBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A lineWriter writes short lines by way of a buffer of its own.
type lineWriter struct {
	w       io.Writer
	scratch *bytes.Buffer
}

func (l *lineWriter) buffer(n int) *bytes.Buffer {
	if n < 64 {
		l.scratch.Reset()
		return l.scratch
	}
	return lineBuffers.Get().(*bytes.Buffer)
}

// bad: the buffer may be the writer's own, which the next line is written to.
func (l *lineWriter) line(s string) error {
	b := l.buffer(len(s))
	defer lineBuffers.Put(b) // want "OCT007: l.scratch does not belong to the pool"
	b.WriteString(s)
	_, err := l.w.Write(b.Bytes())
	return err
}

// ok: only a buffer that is not the writer's own goes back.
func (l *lineWriter) lineOfPool(s string) error {
	b := l.buffer(len(s))
	b.WriteString(s)
	_, err := l.w.Write(b.Bytes())
	if b != l.scratch {
		lineBuffers.Put(b)
	}
	return err
}

// A spareWriter keeps the last buffer for the next line.
type spareWriter struct {
	w     io.Writer
	spare *bytes.Buffer
}

// ok: the field gives the buffer away before it is released.
func (l *spareWriter) line(s string) error {
	b := l.spare
	if l.spare = nil; b == nil {
		b = lineBuffers.Get().(*bytes.Buffer)
	}
	defer lineBuffers.Put(b)
	b.WriteString(s)
	_, err := l.w.Write(b.Bytes())
	return err
}

// A frameWriter has a buffer from the pool, which it may lend to a line.
type frameWriter struct {
	w   io.Writer
	buf *bytes.Buffer
}

// ok: what is in the field comes from the pool, as Close shows.
func (l *frameWriter) last(s string) error {
	b := l.buf
	if b == nil {
		b = lineBuffers.Get().(*bytes.Buffer)
	}
	defer lineBuffers.Put(b)
	b.WriteString(s)
	_, err := l.w.Write(b.Bytes())
	return err
}

func (l *frameWriter) Close() { lineBuffers.Put(l.buf) }

// A finalWriter has one more line to write, which nobody asks for again.
type finalWriter struct {
	w    io.Writer
	line *bytes.Buffer
}

// writeOut writes the line under a heading, and gives both buffers back.
func (f *finalWriter) writeOut() {
	head := lineBuffers.Get().(*bytes.Buffer)
	head.WriteString("end\n")
	f.w.Write(head.Bytes())
	f.w.Write(f.line.Bytes())
	lineBuffers.Put(head)
	lineBuffers.Put(f.line)
}

// ok: what gives back the heading is not what gives back the line.
func writeLast(f *finalWriter) {
	f.writeOut()
}
