package oct004

import (
	"bytes"
	"errors"
	"sync"
)

var settingPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type packer struct {
	pooling bool
	closed  bool
	out     []byte
}

// ok: whether memory is pooled is a setting.
func (e *packer) encode(s string) {
	buf := settingPool.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(s)
	e.out = append(e.out, buf.Bytes()...)
	if e.pooling {
		settingPool.Put(buf)
	}
}

var errClosed = errors.New("closed")

// bad: the path that fails forgets the buffer.
func (e *packer) encodeOpen(s string) error {
	buf := settingPool.Get().(*bytes.Buffer) // want "OCT004: buf.*"
	buf.Reset()
	if e.closed {
		return errClosed
	}
	buf.WriteString(s)
	e.out = append(e.out, buf.Bytes()...)
	settingPool.Put(buf)
	return nil
}
