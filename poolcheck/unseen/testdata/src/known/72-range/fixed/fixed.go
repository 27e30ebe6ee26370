// Package fixed serves ranges of objects that are stored here or elsewhere.
package fixed

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/mem"
)

const (
	headLen    = 16 << 10
	headShift  = 32
	chunkLen   = 256 << 10
	chunkShift = 8
)

// A memBuffer is freed with its last reference.
type memBuffer struct {
	mem.SliceBuffer
	from, to int
	refs     atomic.Int32
	pool     *sync.Pool
}

func (b *memBuffer) setBounds(from, to int) { b.from, b.to = from, to }

func (b *memBuffer) ReadOnlyData() []byte { return b.SliceBuffer[b.from:b.to] }
func (b *memBuffer) Len() int             { return b.to - b.from }
func (b *memBuffer) Ref()                 { b.refs.Add(1) }

func (b *memBuffer) Free() {
	switch refs := b.refs.Add(-1); {
	case refs > 0:
	case refs == 0:
		b.pool.Put(b)
	default:
		panic("free of a freed buffer")
	}
}

type memPool struct{ pool *sync.Pool }

func newMemPool(n int) *memPool {
	return &memPool{&sync.Pool{New: func() any { return &memBuffer{SliceBuffer: make([]byte, n)} }}}
}

func (p *memPool) Get() *memBuffer {
	b := p.pool.Get().(*memBuffer)
	b.pool = p.pool
	b.refs.Store(1)
	return b
}

var (
	headBuffers  = newMemPool(headShift + headLen)
	chunkBuffers = newMemPool(chunkShift + chunkLen)
)

func getHeadBuffer() (*memBuffer, []byte) {
	b := headBuffers.Get()
	return b, b.SliceBuffer[headShift:]
}

func getChunkBuffer() (*memBuffer, []byte) {
	b := chunkBuffers.Get()
	return b, b.SliceBuffer[chunkShift:]
}

// SendMsg frees a memBuffer when it is sent, or cannot be.
type responses interface {
	SendMsg(m any) error
}

type rangeRequest struct {
	object string
	offset int64
	length int64 // 0 for the whole object
}

// rangeParams are what a handler gets.
type rangeParams struct {
	rangeRequest
	buf    []byte
	submit func(io.ReadCloser)
	chunks func(p []byte) error
}

// withBuffer has a local object read through buf, and the stream with its range
// submitted.
func (p *rangeParams) withBuffer(buf []byte, submit func(io.ReadCloser)) {
	p.buf, p.submit = buf, submit
}

// A rangeHandler either submits a stream or writes chunks.
type rangeHandler interface {
	Range(ctx context.Context, p *rangeParams) error
}

var (
	errNotFound = errors.New("object not found")
	errRange    = errors.New("range out of bounds")
)

type localHandler struct {
	objects fs.FS
	remote  rangeHandler
}

func (h *localHandler) Range(ctx context.Context, p *rangeParams) error {
	r, err := h.open(p)
	if errors.Is(err, errNotFound) && h.remote != nil {
		return h.remote.Range(ctx, p)
	}
	if err != nil {
		return err
	}
	p.submit(r)
	return nil
}

type rangeStream struct {
	io.Reader
	io.Closer
}

// open reads the header of an object, and what comes with it, into the buffer.
func (h *localHandler) open(p *rangeParams) (io.ReadCloser, error) {
	f, err := h.objects.Open(p.object)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotFound
	}
	if err != nil {
		return nil, err
	}
	n, err := io.ReadFull(f, p.buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || n < 12 {
		f.Close()
		return nil, fmt.Errorf("header: %w", err)
	}
	from := 12 + int64(binary.BigEndian.Uint32(p.buf))
	size := int64(binary.BigEndian.Uint64(p.buf[4:]))
	length := p.length
	if length == 0 {
		length = size - p.offset
	}
	if length < 0 || p.offset+length > size {
		f.Close()
		return nil, errRange
	}
	from += p.offset
	if from >= int64(n) {
		if _, err := io.CopyN(io.Discard, f, from-int64(n)); err != nil {
			f.Close()
			return nil, err
		}
		return rangeStream{io.LimitReader(f, length), f}, nil
	}
	rest := io.MultiReader(bytes.NewReader(p.buf[from:n]), f)
	return rangeStream{io.LimitReader(rest, length), f}, nil
}

type server struct {
	handler rangeHandler
	allowed func(object string) error
	seal    func(dst, data []byte) int
}

func (s *server) sendStatus(out responses, err error) error {
	return out.SendMsg(fmt.Sprintf("status: %v", err))
}

func (s *server) getRange(ctx context.Context, req rangeRequest, out responses) error {
	if err := s.allowed(req.object); err != nil {
		return s.sendStatus(out, err)
	}
	if req.offset < 0 || req.length < 0 {
		return s.sendStatus(out, errRange)
	}
	p := rangeParams{rangeRequest: req, chunks: func(p []byte) error {
		return out.SendMsg(bytes.Clone(p))
	}}

	var stream io.ReadCloser
	defer func() {
		if stream != nil {
			stream.Close()
		}
	}()

	head, buf := getHeadBuffer()
	defer head.Free()
	p.withBuffer(buf, func(r io.ReadCloser) { stream = r })
	err := s.handler.Range(ctx, &p)
	if err != nil {
		return s.sendStatus(out, err)
	}
	if stream == nil {
		return nil
	}

	if err := s.copyStream(out, stream); err != nil {
		return s.sendStatus(out, err)
	}
	return nil
}

func (s *server) copyStream(out responses, r io.Reader) error {
	for {
		chunk, buf := getChunkBuffer()
		n, err := io.ReadFull(r, buf[:chunkLen-64])
		done := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !done {
			chunk.Free()
			return fmt.Errorf("reading the payload: %w", err)
		}
		if n == 0 {
			chunk.Free()
			return nil
		}
		binary.BigEndian.PutUint64(chunk.SliceBuffer[:], uint64(n))
		if s.seal != nil {
			n += s.seal(buf[n:], buf[:n])
		}
		chunk.setBounds(0, chunkShift+n)
		if err := out.SendMsg(chunk); err != nil {
			return err
		}
		if done {
			return nil
		}
	}
}
