// Package fixed copies ranges of parts from the local storage to a client.
package fixed

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/mem"
)

const (
	headerLen = 16 << 10
	shift     = 64
)

// A memBuffer is freed with its last reference.
type memBuffer struct {
	mem.SliceBuffer
	refs atomic.Int32
	pool *sync.Pool
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

var headBuffers = newMemPool(shift + headerLen)

func getHeadBuffer() (*memBuffer, []byte) {
	b := headBuffers.Get()
	return b, b.SliceBuffer[shift:]
}

var errRemoved = errors.New("already removed")

type storage struct{ dir string }

type stream struct {
	io.Reader
	io.Closer
}

// readRange opens a range of a part. It reads the header, and what comes with
// it of the payload, into buf.
func (s *storage) readRange(_ context.Context, part string, off, ln int64, buf []byte) (io.ReadCloser, error) {
	f, err := os.Open(s.dir + "/" + part)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errRemoved
	} else if err != nil {
		return nil, err
	}
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || n < 4 {
		f.Close()
		return nil, fmt.Errorf("header: %w", err)
	}
	head := 4 + int64(binary.BigEndian.Uint32(buf))
	if head+off >= int64(n) {
		if _, err := f.Seek(head+off, io.SeekStart); err != nil {
			f.Close()
			return nil, err
		}
		return stream{io.LimitReader(f, ln), f}, nil
	}
	rest := io.MultiReader(bytes.NewReader(buf[head+off:n]), f)
	return stream{io.LimitReader(rest, ln), f}, nil
}

type server struct{ storage *storage }

type copyError struct {
	error
	written int64
}

func (s *server) copyStream(w io.Writer, r io.Reader) error {
	n, err := io.Copy(w, r)
	if err != nil {
		return copyError{err, n}
	}
	return nil
}

func (s *server) copyPart(ctx context.Context, w io.Writer, part string, off, ln int64, control <-chan bool) (int64, error) {
	head, buf := getHeadBuffer()
	defer head.Free()
	st, err := s.storage.readRange(ctx, part, off, ln, buf)
	if err != nil {
		if errors.Is(err, errRemoved) {
			return 0, err
		}
		log.Printf("reading %s: %v", part, err)
		return 0, nil
	}
	defer st.Close()

	if control != nil {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case abort := <-control:
			if abort {
				return 0, context.Canceled
			}
		}
	}
	if err := s.copyStream(w, st); err != nil {
		var e copyError
		if !errors.As(err, &e) {
			return 0, err
		}
		return e.written, nil
	}
	return ln, nil
}
