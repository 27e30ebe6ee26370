// Package bug reads pieces of sectors, which are stored with padding.
package bug

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	pool "github.com/libp2p/go-buffer-pool"
)

// Of 128 bytes that are stored 127 are data.
const (
	chunk  = 128
	plain  = chunk - 1
	maxBuf = 1 << 20

	maxBurn = 1 << 20 // what is read and dropped rather than opened anew
)

// paddedSize returns how many bytes n bytes of data take.
func paddedSize(n uint64) uint64 { return (n + plain - 1) / plain * chunk }

func bufSize(n uint64) int { return int(min(n, maxBuf)) }

// An unpadReader drops the padding of what it reads, through a buffer.
type unpadReader struct {
	src  io.Reader
	left uint64
	work []byte
	out  []byte
}

func newUnpadReader(src io.Reader, size uint64, buf []byte) (*unpadReader, error) {
	if size%chunk != 0 || len(buf) < chunk {
		return nil, errors.New("invalid size")
	}
	return &unpadReader{src: src, left: size, work: buf[:len(buf)/chunk*chunk]}, nil
}

func (r *unpadReader) Read(p []byte) (int, error) {
	if len(r.out) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		work := r.work[:min(uint64(len(r.work)), r.left)]
		n, err := io.ReadFull(r.src, work)
		if err != nil && err != io.ErrUnexpectedEOF || n < chunk {
			return 0, err
		}
		r.left -= uint64(n)
		out := 0
		for at := 0; at+chunk <= n; at += chunk {
			out += copy(work[out:], work[at:at+plain])
		}
		r.out = work[:out]
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// A rangeGetter opens a part of a sector. What it returns is closed once to end
// reading and twice to give the file up.
type rangeGetter func(start, end uint64) (io.ReadCloser, error)

type pieceGetter func(ctx context.Context, offset, size uint64) (io.ReadCloser, error)

// A PieceReader reads a piece from any place.
type PieceReader struct {
	ctx     context.Context
	openAt  pieceGetter
	len     uint64
	onClose context.CancelFunc

	mu     sync.Mutex
	closed bool
	next   int64 // what is to be read next
	r      io.ReadCloser
	br     *bufio.Reader
	at     int64 // where r is
}

func (p *PieceReader) init() (_ *PieceReader, err error) {
	p.r, err = p.openAt(p.ctx, 0, p.len)
	if err != nil {
		return nil, err
	}
	p.br = bufio.NewReader(p.r)
	return p, nil
}

var errClosed = errors.New("reader is closed")

func (p *PieceReader) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	if p.r != nil {
		if err := p.r.Close(); err != nil {
			return err
		}
		if err := p.r.Close(); err != nil {
			return err
		}
		p.r = nil
	}
	p.onClose()
	p.closed = true
	return nil
}

func (p *PieceReader) Seek(offset int64, whence int) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch whence {
	case io.SeekStart:
		p.next = offset
	case io.SeekCurrent:
		p.next += offset
	case io.SeekEnd:
		p.next = int64(p.len) + offset
	default:
		return 0, errors.New("bad whence")
	}
	return p.next, nil
}

func (p *PieceReader) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, errClosed
	}
	n, err := p.readNext(b)
	p.next += int64(n)
	return n, err
}

func (p *PieceReader) readNext(b []byte) (n int, err error) {
	off := p.next
	if p.r == nil || p.at > off || p.at+maxBurn < off {
		if p.r != nil {
			if err := p.r.Close(); err != nil {
				return 0, fmt.Errorf("closing reader: %w", err)
			}
			p.r, p.br = nil, nil
		}
		p.at = off
		p.r, err = p.openAt(p.ctx, uint64(off), p.len-uint64(off))
		if err != nil {
			p.r = nil
			return 0, fmt.Errorf("getting reader: %w", err)
		}
		p.br = bufio.NewReader(p.r)
	}
	if off > p.at {
		n, err := io.CopyN(io.Discard, p.br, off-p.at)
		p.at += n
		if err != nil {
			return 0, err
		}
	}
	n, err = io.ReadFull(p.br, b)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	p.at += int64(n)
	return n, err
}

// A Provider has the pieces that are not sealed.
type Provider struct {
	open func(ctx context.Context, sector string) (rangeGetter, error)
}

// Piece returns a reader of the first size bytes of a sector.
func (v *Provider) Piece(ctx context.Context, sector string, size uint64) (*PieceReader, error) {
	ctx, cancel := context.WithCancel(ctx)
	rg, err := v.open(ctx, sector)
	if err != nil {
		cancel()
		return nil, err
	}
	pr, err := (&PieceReader{
		ctx: ctx,
		openAt: func(ctx context.Context, offset, n uint64) (io.ReadCloser, error) {
			start := offset / plain * plain
			r, err := rg(paddedSize(start), paddedSize(offset+n))
			if err != nil {
				return nil, fmt.Errorf("getting reader at %d: %w", start, err)
			}

			buf := pool.Get(bufSize(paddedSize(size)))

			unpadded, err := newUnpadReader(r, paddedSize(offset+n)-paddedSize(start), buf)
			if err != nil {
				pool.Put(buf)
				r.Close()
				return nil, err
			}
			br2 := bufio.NewReaderSize(unpadded, plain)
			if offset > start {
				if _, err := br2.Discard(int(offset - start)); err != nil {
					pool.Put(buf)
					r.Close()
					return nil, err
				}
			}

			return struct {
				io.Reader
				io.Closer
			}{
				Reader: br2,
				Closer: closeFunc(func() error {
					pool.Put(buf)
					return r.Close()
				}),
			}, nil
		},
		len:     size,
		onClose: cancel,
	}).init()
	if err != nil {
		cancel()
		return nil, err
	}
	return pr, nil
}
