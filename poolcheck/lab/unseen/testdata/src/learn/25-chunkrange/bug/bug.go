// Package bug reads chunks of a block from object storage into pooled bytes.
package bug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A bytesPool keeps slices by size, and limits what is in use.
type bytesPool struct {
	buckets []sync.Pool
	sizes   []int
	max     uint64

	mu   sync.Mutex
	used uint64
}

func newBytesPool(minSize, maxSize int, max uint64) *bytesPool {
	p := &bytesPool{max: max}
	for s := minSize; s <= maxSize; s *= 2 {
		p.sizes = append(p.sizes, s)
	}
	p.buckets = make([]sync.Pool, len(p.sizes))
	return p
}

var errExhausted = errors.New("pool exhausted")

func (p *bytesPool) Get(size int) (*[]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used+uint64(size) > p.max {
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
	p.used += uint64(size)
	b := make([]byte, 0, size)
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

type bucket interface {
	GetRange(ctx context.Context, name string, off, length int64) (io.ReadCloser, error)
}

type block struct {
	bucket bucket
	chunks []string
	pool   *bytesPool
}

func (b *block) readRange(ctx context.Context, seq int, off, length int64) (*[]byte, error) {
	c, err := b.pool.Get(int(length))
	if err != nil {
		return nil, fmt.Errorf("allocate chunk bytes: %w", err)
	}
	buf := bytes.NewBuffer(*c)

	r, err := b.bucket.GetRange(ctx, b.chunks[seq], off, length)
	if err != nil {
		return nil, fmt.Errorf("get range: %w", err)
	}
	defer r.Close()

	if _, err = io.Copy(buf, r); err != nil {
		return nil, fmt.Errorf("read range: %w", err)
	}
	p := buf.Bytes()
	return &p, nil
}

type chunkReader struct {
	block *block
	held  []*[]byte
}

func (r *chunkReader) load(ctx context.Context, seq int, off, length int64) ([]byte, error) {
	p, err := r.block.readRange(ctx, seq, off, length)
	if err != nil {
		return nil, err
	}
	r.held = append(r.held, p)
	return *p, nil
}

func (r *chunkReader) Close() {
	for _, p := range r.held {
		r.block.pool.Put(p)
	}
}
