// Package bug makes calls whose answers are decoded lazily.
package bug

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer() *bytes.Buffer {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	return buf
}

func putBuffer(buf *bytes.Buffer) { buffers.Put(buf) }

// A list is decoded whenever it is read.
type list interface {
	ForEach(f func(value) error) error
}

type value struct {
	number int64
	list   list
}

type envelope struct {
	kind  byte
	name  string
	value value
}

type decoder struct {
	r   io.ReaderAt
	off int64
}

func (d *decoder) bytes(n int) ([]byte, error) {
	p := make([]byte, n)
	m, err := d.r.ReadAt(p, d.off)
	if m == n {
		err = nil
	}
	d.off += int64(m)
	return p, err
}

func (d *decoder) uint32() (uint32, error) {
	p, err := d.bytes(4)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(p), nil
}

type lazyList struct {
	count uint32
	r     io.ReaderAt
	off   int64
}

func (l *lazyList) ForEach(f func(value) error) error {
	d := &decoder{l.r, l.off}
	for range l.count {
		n, err := d.uint32()
		if err != nil {
			return err
		}
		if err := f(value{number: int64(n)}); err != nil {
			return err
		}
	}
	return nil
}

func decodeEnvelope(r io.ReaderAt) (envelope, error) {
	d := &decoder{r: r}
	head, err := d.bytes(2)
	if err != nil {
		return envelope{}, err
	}
	name, err := d.bytes(int(head[1]))
	if err != nil {
		return envelope{}, err
	}
	count, err := d.uint32()
	if err != nil {
		return envelope{}, err
	}
	return envelope{head[0], string(name), value{list: &lazyList{count, r, d.off}}}, nil
}

const (
	kindReply     = 2
	kindException = 3
)

type outbound interface {
	Call(ctx context.Context, name string, body io.Reader) (io.ReadCloser, error)
}

type client struct{ out outbound }

func (c *client) Call(ctx context.Context, name string, body io.Reader) (value, error) {
	res, err := c.out.Call(ctx, name, body)
	if err != nil {
		return value{}, err
	}
	defer res.Close()

	buf := getBuffer()
	defer putBuffer(buf)
	if _, err = buf.ReadFrom(res); err != nil {
		return value{}, err
	}
	env, err := decodeEnvelope(bytes.NewReader(buf.Bytes()))
	if err != nil {
		return value{}, fmt.Errorf("decode %s: %w", name, err)
	}
	switch env.kind {
	case kindReply:
		return env.value, nil
	case kindException:
		return value{}, errors.New(env.name)
	}
	return value{}, fmt.Errorf("unexpected envelope %d", env.kind)
}

// numbers is what a generated method looks like.
func numbers(ctx context.Context, c *client) (all []int64, err error) {
	v, err := c.Call(ctx, "numbers", bytes.NewReader(nil))
	if err != nil {
		return nil, err
	}
	err = v.list.ForEach(func(v value) error {
		all = append(all, v.number)
		return nil
	})
	return all, err
}
