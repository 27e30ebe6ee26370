// Package fixed sends a part of an object, with the header of the whole object.
package fixed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/mem"
)

const (
	headShift  = 32 // room for what frames the header
	headLen    = 16 << 10
	chunkShift = 16
	chunkLen   = 256 << 10
	sealLen    = 96
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

func (b *memBuffer) Ref() {
	if b.refs.Add(1) <= 1 {
		panic("reference to a freed buffer")
	}
}

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
	headBuffers  = newMemPool(headShift + headLen + sealLen)
	chunkBuffers = newMemPool(chunkShift + chunkLen)
)

func getHeadBuffer() (*memBuffer, []byte) {
	b := headBuffers.Get()
	return b, b.SliceBuffer[headShift : headShift+headLen]
}

func getChunkBuffer() (*memBuffer, []byte) {
	b := chunkBuffers.Get()
	return b, b.SliceBuffer[chunkShift:]
}

var (
	errRemoved = errors.New("already removed")
	errLink    = errors.New("part is a link")
	errHeader  = errors.New("invalid header")
)

// A storage reads the beginning of a part into buf, and tells how much that is.
// The stream has the rest.
type storage interface {
	ReadPart(ctx context.Context, name string, index int, buf []byte) (int, io.ReadCloser, error)
}

// A header lies in the buffer that it was parsed from.
type header struct {
	end        int
	link       bool
	payload    uint64
	parent     []byte
	parentSize uint64
}

func parseHeader(p []byte) (header, error) {
	if len(p) < 21 {
		return header{}, io.ErrUnexpectedEOF
	}
	h := header{
		link:       p[0] == 1,
		payload:    binary.BigEndian.Uint64(p[1:]),
		parentSize: binary.BigEndian.Uint64(p[9:]),
	}
	h.end = 21 + int(binary.BigEndian.Uint32(p[17:]))
	if h.end > len(p) {
		return header{}, errHeader
	}
	h.parent = p[21:h.end]
	return h, nil
}

// SendMsg frees a memBuffer when it is sent, or cannot be.
type responses interface {
	SendMsg(m any) error
}

type copyError struct {
	error
	written uint64
}

type server struct {
	seal func(dst, data []byte) (int, error)
}

// copyObject sends what stands in buf before to, as the header, and then the
// payload: what stands in buf between from and prefix, and the rest. It frees
// none of the caller's references.
func (s *server) copyObject(out responses, head *memBuffer, buf []byte, prefix, to, from int, rest io.Reader) error {
	var chunk *memBuffer
	var chunkBuf []byte
	ready := prefix - from
	if ready > 0 {
		chunk, chunkBuf = getChunkBuffer()
		copy(chunkBuf, buf[from:prefix])
	}

	binary.BigEndian.PutUint32(head.SliceBuffer[headShift-4:], uint32(to))
	end := headShift + to
	if s.seal != nil {
		n, err := s.seal(head.SliceBuffer[end:], head.SliceBuffer[headShift:end])
		if err != nil {
			if chunk != nil {
				chunk.Free()
			}
			return fmt.Errorf("sealing the header: %w", err)
		}
		end += n
	}
	head.setBounds(headShift-4, end)
	head.Ref() // for SendMsg
	if err := out.SendMsg(head); err != nil {
		if chunk != nil {
			chunk.Free()
		}
		return err
	}

	var sent uint64
	for {
		if chunk == nil {
			chunk, chunkBuf = getChunkBuffer()
		}
		n, err := io.ReadFull(rest, chunkBuf[ready:])
		done := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !done {
			chunk.Free()
			return copyError{fmt.Errorf("reading the payload: %w", err), sent}
		}
		n += ready
		ready = 0
		if n == 0 {
			chunk.Free()
			return nil
		}
		chunk.setBounds(chunkShift, chunkShift+n)
		if err := out.SendMsg(chunk); err != nil {
			return err
		}
		sent += uint64(n)
		if done {
			return nil
		}
		chunk = nil
	}
}

// A partRequest is answered from the parts of an object.
type partRequest struct {
	server *server
	object string
	out    responses
}

// copyPart tells whether the header was sent, and how long the object, the part
// and what was sent of it are.
func (r *partRequest) copyPart(ctx context.Context, st storage, index int) (bool, uint64, uint64, uint64, error) {
	logError := func(what string, err error) {
		log.Printf("%s part %d: %s: %v", r.object, index, what, err)
	}

	head, buf := getHeadBuffer()
	defer head.Free()

	prefix, stream, err := st.ReadPart(ctx, r.object, index, buf)
	if err != nil {
		if errors.Is(err, errRemoved) {
			return false, 0, 0, 0, err
		}
		logError("reading", err)
		return false, 0, 0, 0, nil
	}
	defer stream.Close()

	h, err := parseHeader(buf[:prefix])
	if err != nil {
		logError("header", err)
		return false, 0, 0, 0, nil
	}
	if h.link {
		return false, 0, 0, 0, errLink
	}

	n := copy(buf, h.parent)
	if err := r.server.copyObject(r.out, head, buf, prefix, n, h.end, stream); err != nil {
		var e copyError
		if !errors.As(err, &e) {
			return false, 0, 0, 0, err
		}
		logError("copying", err)
		return true, h.parentSize, h.payload, e.written, nil
	}
	return true, h.parentSize, h.payload, h.payload, nil
}
