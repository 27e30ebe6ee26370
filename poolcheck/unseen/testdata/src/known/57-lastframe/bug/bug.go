// Package bug reads the messages of a stream, each in a frame.
package bug

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	firstSize = 512
	largest   = 8 << 20 // what is larger is not kept
)

const (
	flagCompressed = 1
	flagEnd        = 2
)

type bufferPool struct{ sync.Pool }

func newBufferPool() *bufferPool {
	return &bufferPool{sync.Pool{New: func() any {
		return bytes.NewBuffer(make([]byte, 0, firstSize))
	}}}
}

func (p *bufferPool) Get() *bytes.Buffer {
	if b, ok := p.Pool.Get().(*bytes.Buffer); ok {
		return b
	}
	return bytes.NewBuffer(make([]byte, 0, firstSize))
}

func (p *bufferPool) Put(b *bytes.Buffer) {
	if b.Cap() > largest {
		return
	}
	b.Reset()
	p.Pool.Put(b)
}

type decompression struct{ readers sync.Pool }

func (d *decompression) Decompress(dst *bytes.Buffer, src io.Reader, max int64) error {
	zr, ok := d.readers.Get().(*gzip.Reader)
	if !ok {
		zr = new(gzip.Reader)
	}
	defer d.readers.Put(zr)
	if err := zr.Reset(src); err != nil {
		return err
	}
	if max > 0 {
		_, err := dst.ReadFrom(io.LimitReader(zr, max))
		return err
	}
	_, err := dst.ReadFrom(zr)
	return err
}

type codec interface {
	Unmarshal(data []byte, v any) error
}

type frame struct {
	data  *bytes.Buffer
	flags uint8
}

func (f *frame) is(flag uint8) bool { return f.flags&flag == flag }

// errSpecial means that the frame is for the protocol, not for the user.
var errSpecial = errors.New("special frame")

type frameReader struct {
	r             io.Reader
	codec         codec
	last          frame
	decompression *decompression
	buffers       *bufferPool
	max           int
}

func (r *frameReader) Unmarshal(v any) error {
	buf := r.buffers.Get()
	defer r.buffers.Put(buf)

	f := &frame{data: buf}
	if err := r.read(f); err != nil {
		return err
	}
	if f.data.Len() == 0 && (f.flags == 0 || f.flags == flagCompressed) {
		return nil // the zero message
	}

	data := f.data
	if data.Len() > 0 && f.is(flagCompressed) {
		if r.decompression == nil {
			return errors.New("compressed message without an encoding")
		}
		plain := r.buffers.Get()
		defer r.buffers.Put(plain)
		if err := r.decompression.Decompress(plain, data, int64(r.max)); err != nil {
			return err
		}
		data = plain
	}

	if f.flags != 0 && f.flags != flagCompressed {
		// The frame outlives buf and plain.
		r.last = frame{data: r.buffers.Get(), flags: f.flags}
		if _, err := r.last.data.ReadFrom(data); err != nil {
			return fmt.Errorf("last frame: %w", err)
		}
		return errSpecial
	}

	if err := r.codec.Unmarshal(data.Bytes(), v); err != nil {
		return fmt.Errorf("unmarshal into %T: %w", v, err)
	}
	return nil
}

func (r *frameReader) read(f *frame) error {
	var prefix [5]byte
	if _, err := io.ReadFull(r.r, prefix[:]); err != nil {
		return err
	}
	f.flags = prefix[0]
	size := int64(binary.BigEndian.Uint32(prefix[1:]))
	if r.max > 0 && size > int64(r.max) {
		if _, err := io.CopyN(io.Discard, r.r, size); err != nil && err != io.EOF {
			return err
		}
		return fmt.Errorf("message of %d bytes, more than %d", size, r.max)
	}
	f.data.Grow(int(size))
	n, err := io.CopyN(f.data, r.r, size)
	if err == io.EOF {
		return fmt.Errorf("%d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	}
	return err
}

type endMessage struct {
	Error   string              `json:"error"`
	Trailer map[string][]string `json:"metadata"`
}

// A stream is a frameReader whose last frame says how it ended.
type stream struct {
	frameReader
	err     error
	trailer map[string][]string
}

func (s *stream) Receive(v any) error {
	err := s.frameReader.Unmarshal(v)
	if err == nil {
		return nil
	}
	if !errors.Is(err, errSpecial) {
		return err
	}
	last := s.frameReader.last
	if !last.is(flagEnd) {
		return fmt.Errorf("flags %#x", last.flags)
	}
	var end endMessage
	if err := json.Unmarshal(last.data.Bytes(), &end); err != nil {
		return fmt.Errorf("end of stream: %w", err)
	}
	s.trailer = end.Trailer
	if end.Error != "" {
		s.err = errors.New(end.Error)
	}
	return io.EOF
}
