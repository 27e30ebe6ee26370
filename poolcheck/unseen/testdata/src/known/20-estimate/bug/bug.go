// Package bug loads chunks of a block through a slice from a limited pool.
package bug

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

var errExhausted = errors.New("pool exhausted")

// A bytesPool keeps slices by size, and limits what is in use.
type bytesPool struct {
	buckets []sync.Pool
	sizes   []int
	max     uint64

	mu   sync.Mutex
	used uint64
}

func (p *bytesPool) Get(size int) (*[]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.max > 0 && p.used+uint64(size) > p.max {
		return nil, errExhausted
	}
	for i, s := range p.sizes {
		if size > s {
			continue
		}
		b, ok := p.buckets[i].Get().(*[]byte)
		if !ok {
			bb := make([]byte, 0, s)
			b = &bb
		}
		p.used += uint64(cap(*b))
		return b, nil
	}
	b := make([]byte, 0, size)
	p.used += uint64(size)
	return &b, nil
}

func (p *bytesPool) Put(b *[]byte) {
	if b == nil {
		return
	}
	size := uint64(cap(*b))
	for i, s := range p.sizes {
		if cap(*b) > s {
			continue
		}
		*b = (*b)[:0]
		p.buckets[i].Put(b)
		break
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= min(p.used, size)
}

type block struct {
	open     func(ctx context.Context, seq int, from, to int64) (io.ReadCloser, error)
	pool     *bytesPool
	estimate int
}

type chunkReader struct {
	block *block
	save  func([]byte) ([]byte, error)
}

func (r *chunkReader) load(ctx context.Context, seq int, from, to int64, offsets []int) ([][]byte, error) {
	rc, err := r.block.open(ctx, seq, from, to)
	if err != nil {
		return nil, fmt.Errorf("get range reader: %w", err)
	}
	defer rc.Close()
	br := bufio.NewReaderSize(rc, r.block.estimate)

	var buf []byte
	pooled, err := r.block.pool.Get(r.block.estimate)
	if err == nil {
		buf = *pooled
	} else {
		buf = make([]byte, r.block.estimate)
	}
	defer r.block.pool.Put(&buf)

	var chunks [][]byte
	at := offsets[0]
	for i, off := range offsets {
		for at < off {
			n, err := br.Discard(off - at)
			if err != nil {
				return nil, fmt.Errorf("forward: %w", err)
			}
			at += n
		}
		size := r.block.estimate
		if i+1 < len(offsets) {
			size = min(size, offsets[i+1]-off)
		}
		p := buf[:size]
		n, err := io.ReadFull(br, p)
		at += n
		if err != nil && !(errors.Is(err, io.ErrUnexpectedEOF) && i == len(offsets)-1) {
			return nil, fmt.Errorf("read chunk %d: %w", i, err)
		}
		length, m := binary.Uvarint(p[:n])
		if m < 1 || m+int(length) > n {
			return nil, errors.New("bad chunk length")
		}
		c, err := r.save(p[m : m+int(length)])
		if err != nil {
			return nil, fmt.Errorf("save chunk: %w", err)
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}
