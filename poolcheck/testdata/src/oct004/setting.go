package oct004

import (
	"bytes"
	"encoding/json"
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

type unpacker interface {
	Reset(p []byte) error
	Close() error
}

var unpackers sync.Pool

func getUnpacker(p []byte) (unpacker, error) {
	u := unpackers.Get().(unpacker)
	return u, u.Reset(p)
}

// ok: what cannot be reset is not pooled any more.
func unpack(p []byte, use func(unpacker)) error {
	u, err := getUnpacker(p)
	if err != nil {
		return err
	}
	use(u)
	unpackers.Put(u)
	return nil
}

// bad: the setting explains two ways to read, not that one of them loses the buffer
// with the error of a call.
func readAs(indent bool, v any) error {
	buf := settingPool.Get().(*bytes.Buffer) // want "OCT004: buf is not released.*"
	if indent {
		if err := json.Unmarshal(buf.Bytes(), v); err != nil {
			return err
		}
		settingPool.Put(buf)
		return nil
	}
	settingPool.Put(buf)
	return nil
}

type limitedPool struct {
	p     sync.Pool
	reset func(*bytes.Buffer) bool
}

func (l *limitedPool) put(b *bytes.Buffer) {
	if l.reset(b) {
		l.p.Put(b)
	}
}

// ok: the pool decides which buffers it takes back, in a deferred call, too.
func resetDecides(l *limitedPool, v any) error {
	buf := l.p.Get().(*bytes.Buffer)
	defer l.put(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return err
	}
	buf.WriteByte('\n')
	return nil
}

// ok: who sets a flag to keep the deferred release from running drops on purpose.
func dropAfterFailure(send func([]byte) error, v any) {
	buf := settingPool.Get().(*bytes.Buffer)
	failed := false
	defer func() {
		if !failed {
			settingPool.Put(buf)
		}
	}()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return
	}
	for range 3 {
		if err := send(buf.Bytes()); err == nil {
			return
		}
		failed = true // somebody may still read it
	}
}
