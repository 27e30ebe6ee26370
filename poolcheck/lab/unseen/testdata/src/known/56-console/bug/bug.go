// Package bug encodes log entries, as JSON or for people to read.
package bug

import (
	"strconv"
	"sync"
)

type buffer struct {
	data []byte
	pool bufferPool
}

func (b *buffer) Len() int              { return len(b.data) }
func (b *buffer) Bytes() []byte         { return b.data }
func (b *buffer) AppendByte(c byte)     { b.data = append(b.data, c) }
func (b *buffer) AppendString(s string) { b.data = append(b.data, s...) }

func (b *buffer) Write(p []byte) (int, error) {
	b.data = append(b.data, p...)
	return len(p), nil
}

// Free gives the buffer back to the pool that it is from.
func (b *buffer) Free() { b.pool.put(b) }

type bufferPool struct{ p *sync.Pool }

func newBufferPool() bufferPool {
	return bufferPool{&sync.Pool{New: func() any { return &buffer{data: make([]byte, 0, 1<<10)} }}}
}

func (p bufferPool) Get() *buffer {
	b := p.p.Get().(*buffer)
	b.data = b.data[:0]
	b.pool = p
	return b
}

func (p bufferPool) put(b *buffer) { p.p.Put(b) }

var buffers = newBufferPool()

var jsonEncoders = sync.Pool{New: func() any { return new(jsonEncoder) }}

func getJSONEncoder() *jsonEncoder { return jsonEncoders.Get().(*jsonEncoder) }

func putJSONEncoder(e *jsonEncoder) {
	e.config = nil
	e.buf = nil
	jsonEncoders.Put(e)
}

type config struct {
	messageKey string
	separator  string
}

type entry struct {
	message string
}

type field struct {
	key   string
	value any
}

type encoder interface {
	Clone() encoder
	EncodeEntry(e entry, fields []field) (*buffer, error)
}

type jsonEncoder struct {
	*config
	buf *buffer
}

func newJSONEncoder(c config) *jsonEncoder {
	return &jsonEncoder{config: &c, buf: buffers.Get()}
}

func (e *jsonEncoder) Clone() encoder {
	c := e.clone()
	c.buf.Write(e.buf.Bytes())
	return c
}

func (e *jsonEncoder) clone() *jsonEncoder {
	c := getJSONEncoder()
	c.config = e.config
	c.buf = buffers.Get()
	return c
}

func (e *jsonEncoder) addKey(key string) {
	if n := e.buf.Len(); n > 0 && e.buf.Bytes()[n-1] != '{' {
		e.buf.AppendByte(',')
	}
	e.buf.AppendString(strconv.Quote(key))
	e.buf.AppendByte(':')
}

func (e *jsonEncoder) add(f field) {
	e.addKey(f.key)
	switch v := f.value.(type) {
	case string:
		e.buf.AppendString(strconv.Quote(v))
	case int:
		e.buf.data = strconv.AppendInt(e.buf.data, int64(v), 10)
	}
}

func (e *jsonEncoder) EncodeEntry(ent entry, fields []field) (*buffer, error) {
	final := e.clone()
	final.buf.AppendByte('{')
	if final.messageKey != "" {
		final.add(field{final.messageKey, ent.message})
	}
	for _, f := range fields {
		final.add(f)
	}
	final.buf.AppendByte('}')

	line := final.buf
	putJSONEncoder(final)
	return line, nil
}

// A consoleEncoder writes everything but the fields as plain text.
type consoleEncoder struct{ *jsonEncoder }

func newConsoleEncoder(c config) encoder {
	if c.separator == "" {
		c.separator = "\t"
	}
	return consoleEncoder{newJSONEncoder(c)}
}

func (c consoleEncoder) Clone() encoder {
	return consoleEncoder{c.jsonEncoder.Clone().(*jsonEncoder)}
}

func (c consoleEncoder) EncodeEntry(ent entry, fields []field) (*buffer, error) {
	line := buffers.Get()
	if c.messageKey != "" {
		c.separate(line)
		line.AppendString(ent.message)
	}
	c.writeFields(line, fields)
	return line, nil
}

func (c consoleEncoder) writeFields(line *buffer, fields []field) {
	context := c.jsonEncoder.Clone().(*jsonEncoder)
	defer context.buf.Free()

	for _, f := range fields {
		context.add(f)
	}
	if context.buf.Len() == 0 {
		return
	}
	c.separate(line)
	line.AppendByte('{')
	line.Write(context.buf.Bytes())
	line.AppendByte('}')
}

func (c consoleEncoder) separate(line *buffer) {
	if line.Len() > 0 {
		line.AppendString(c.separator)
	}
}
