// Package bug is the reading half of a multiplexed stream.
package bug

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/jbenet/go-msgio/mpool"
)

type stream struct {
	in       chan []byte
	reset    chan struct{}
	deadline time.Time

	rest  []byte // what has not been read of whole
	whole []byte
}

func (s *stream) waitForData(ctx context.Context) error {
	if !s.deadline.IsZero() {
		dctx, cancel := context.WithDeadline(ctx, s.deadline)
		defer cancel()
		ctx = dctx
	}
	select {
	case <-s.reset:
		return errors.New("stream reset")
	case read, ok := <-s.in:
		if !ok {
			return io.EOF
		}
		s.rest = read
		s.whole = read
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stream) Read(p []byte) (int, error) {
	if s.rest == nil {
		if err := s.waitForData(context.Background()); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	if n < len(s.rest) {
		s.rest = s.rest[n:]
	} else {
		if s.whole != nil {
			mpool.ByteSlicePool.Put(uint32(cap(s.whole)), s.whole)
		}
		s.rest = nil
		s.whole = nil
	}
	return n, nil
}

// feed reads messages and hands them to the stream.
func (s *stream) feed(r *bufio.Reader) error {
	for {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		buf := mpool.ByteSlicePool.Get(uint32(n)).([]byte)[:n]
		if _, err := io.ReadFull(r, buf); err != nil {
			mpool.ByteSlicePool.Put(uint32(cap(buf)), buf)
			return err
		}
		select {
		case s.in <- buf:
		case <-s.reset:
			mpool.ByteSlicePool.Put(uint32(cap(buf)), buf)
			return errors.New("stream reset")
		}
	}
}
