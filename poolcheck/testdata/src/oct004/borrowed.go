package oct004

import (
	"bytes"
	"context"
	"sync"
)

var borrowedPool = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}

// A blockDevice is implemented elsewhere.
type blockDevice interface {
	ReadBlock(p []byte, at int64) (int, error)
	WriteBlock(p []byte, at int64) error
	WriteAsync(p []byte, at int64) error
	Submit(p []byte) error
	Close() error
}

// bad: nothing on the path that fails gives back what was read into.
func firstOfBlock(d blockDevice, at int64) (byte, error) {
	b := borrowedPool.Get().(*[]byte) // want "OCT004: b is not released on every path"
	if _, err := d.ReadBlock(*b, at); err != nil {
		return 0, err
	}
	first := (*b)[0]
	borrowedPool.Put(b)
	return first, nil
}

// ok: what is written later may be released later.
func writeLater(d blockDevice, at int64) error {
	b := borrowedPool.Get().(*[]byte)
	clear(*b)
	return d.WriteAsync(*b, at)
}

// ok: the device takes over what is submitted to it.
func submit(d blockDevice) error {
	b := borrowedPool.Get().(*[]byte)
	clear(*b)
	return d.Submit(*b)
}

// ok: both ways give it back.
func secondOfBlock(d blockDevice, at int64) (byte, error) {
	b := borrowedPool.Get().(*[]byte)
	defer borrowedPool.Put(b)
	if _, err := d.ReadBlock(*b, at); err != nil {
		return 0, err
	}
	return (*b)[1], nil
}

// A logEntry is pooled with its buffer.
type logEntry struct {
	level  int
	buf    []byte
	fields map[string]string
}

var logEntries = sync.Pool{New: func() any { return &logEntry{buf: make([]byte, 0, 512)} }}

type entryEncoder interface {
	EncodeEntry(e *logEntry, to *bytes.Buffer) error
	WriteEntry(e *logEntry) error
}

// bad: an entry is lost when it was encoded and the caller has gone.
func encodeEntry(ctx context.Context, enc entryEncoder, msg string, to *bytes.Buffer) error {
	e := logEntries.Get().(*logEntry) // want "OCT004: e is not released on every path"
	e.buf = append(e.buf[:0], msg...)
	err := enc.EncodeEntry(e, to)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	logEntries.Put(e)
	return err
}

// ok: who writes an entry may take it over.
func writeEntry(enc entryEncoder, level int, msg string) error {
	e := logEntries.Get().(*logEntry)
	e.level = level
	e.buf = append(e.buf[:0], msg...)
	return enc.WriteEntry(e)
}

// A dialect is a struct of functions.
type dialect struct {
	compress func(p []byte) (int, error)
	frame    func(p []byte) []byte
	handle   func(ctx context.Context, p []byte) error
}

// ok: what is returned may show the memory.
func (d *dialect) framed(src []byte) []byte {
	b := borrowedPool.Get().(*[]byte)
	copy(*b, src)
	return d.frame(*b)
}

// ok: a handler may take over what it is given.
func (d *dialect) handled(ctx context.Context, src []byte) error {
	b := borrowedPool.Get().(*[]byte)
	copy(*b, src)
	return d.handle(ctx, *b)
}

// A frameHolder has pooled memory in a field.
type frameHolder struct{ data *[]byte }

type frameCodec interface {
	MarshalFrame(f *frameHolder) error
}

// ok: what was put into the struct is in it still.
func marshalFrameRight(c frameCodec) error {
	f := &frameHolder{data: borrowedPool.Get().(*[]byte)}
	err := c.MarshalFrame(f)
	borrowedPool.Put(f.data)
	return err
}
