// Package fixed serves unary calls.
package fixed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc/mem"
)

type payload struct {
	wireLength int
	data       mem.BufferSlice
}

func (p *payload) free() {
	if p != nil && p.data != nil {
		p.data.Free()
	}
}

type decompressor interface {
	Do(src []byte) ([]byte, error)
}

type stream struct {
	r    io.Reader
	pool mem.BufferPool
}

func (s *stream) recvMsg(max int) (mem.BufferSlice, bool, error) {
	var head [5]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil {
		return nil, false, err
	}
	n := int(binary.BigEndian.Uint32(head[1:]))
	if n > max {
		return nil, false, errors.New("message too large")
	}
	buf := s.pool.Get(n)
	if _, err := io.ReadFull(s.r, *buf); err != nil {
		s.pool.Put(buf)
		return nil, false, err
	}
	return mem.BufferSlice{mem.NewBuffer(buf, s.pool)}, head[0] == 1, nil
}

func recv(s *stream, dc decompressor, max int, info *payload) (out mem.BufferSlice, err error) {
	msg, compressed, err := s.recvMsg(max)
	if err != nil {
		return nil, err
	}
	wire := msg.Len()
	if compressed {
		defer msg.Free()
		if dc == nil {
			return nil, errors.New("no decompressor")
		}
		plain, err := dc.Do(msg.Materialize())
		if err != nil {
			return nil, fmt.Errorf("decompress: %w", err)
		}
		out = mem.BufferSlice{mem.NewBuffer(&plain, nil)}
	} else {
		out = msg
	}
	if info != nil {
		info.wireLength = wire
		out.Ref()
		info.data = out
	}
	return out, nil
}

type codec interface {
	Unmarshal(data mem.BufferSlice, v any) error
}

type method func(srv any, ctx context.Context, decode func(any) error) (any, error)

type server struct {
	codec   codec
	dc      decompressor
	max     int
	log     func(message []byte)
	observe func(wire, size int)
}

func (s *server) unary(ctx context.Context, st *stream, srv any, m method, reply func(any) error) error {
	var info *payload
	if s.observe != nil {
		info = &payload{}
		defer info.free()
	}

	d, err := recv(st, s.dc, s.max, info)
	if err != nil {
		return err
	}
	defer d.Free()
	decode := func(v any) error {
		if err := s.codec.Unmarshal(d, v); err != nil {
			return fmt.Errorf("unmarshalling: %w", err)
		}
		if s.observe != nil {
			s.observe(info.wireLength, d.Len())
		}
		if s.log != nil {
			s.log(d.Materialize())
		}
		return nil
	}
	res, err := m(srv, ctx, decode)
	if err != nil {
		return err
	}
	return reply(res)
}
