// Package fixed is the writing side of a file system. What is written to a file
// is gathered in memory and uploaded in chunks.
package fixed

import (
	"context"
	"fmt"
	"sync"
)

type chunk struct {
	id     string
	offset int64
	size   int
}

// An uploader stores data. It does not keep the slice.
type uploader interface {
	upload(ctx context.Context, name string, data []byte) (id string, err error)
}

type fileSystem struct {
	storage   uploader
	chunkSize int
	chunkPool sync.Pool

	mu      sync.Mutex
	handles map[string]*handle
}

func newFileSystem(storage uploader, chunkSize int) *fileSystem {
	return &fileSystem{
		storage:   storage,
		chunkSize: chunkSize,
		chunkPool: sync.Pool{New: func() any { return make([]byte, chunkSize) }},
		handles:   make(map[string]*handle),
	}
}

// Dirty pages are one range of a file that is not stored yet.
type dirtyPages struct {
	fs   *fileSystem
	name string

	mu     sync.Mutex
	offset int64
	size   int
	data   []byte
}

// releaseMemory drops the range.
func (p *dirtyPages) releaseMemory() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.offset = 0
	p.size = 0
	if p.data != nil {
		p.fs.chunkPool.Put(p.data)
		p.data = nil
	}
}

// add adds data to the range, and stores the range first when they do not fit
// together.
func (p *dirtyPages) add(ctx context.Context, offset int64, data []byte) ([]chunk, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(data) > p.fs.chunkSize {
		return p.saveBoth(ctx, offset, data)
	}
	if p.data == nil {
		p.data = p.fs.chunkPool.Get().([]byte)
	}
	if offset != p.offset+int64(p.size) || p.size+len(data) > len(p.data) {
		chunks, err := p.saveRange(ctx)
		if err != nil {
			return nil, err
		}
		p.offset = offset
		p.size = copy(p.data, data)
		return chunks, nil
	}
	p.size += copy(p.data[p.size:], data)
	return nil, nil
}

// saveBoth stores the range and data that is too large for it.
func (p *dirtyPages) saveBoth(ctx context.Context, offset int64, data []byte) ([]chunk, error) {
	chunks, err := p.saveRange(ctx)
	if err != nil {
		return nil, err
	}
	c, err := p.save(ctx, offset, data)
	if err != nil {
		return chunks, err
	}
	return append(chunks, c), nil
}

func (p *dirtyPages) saveRange(ctx context.Context) ([]chunk, error) {
	if p.size == 0 {
		return nil, nil
	}
	c, err := p.save(ctx, p.offset, p.data[:p.size])
	if err != nil {
		return nil, err
	}
	p.offset = 0
	p.size = 0
	return []chunk{c}, nil
}

func (p *dirtyPages) save(ctx context.Context, offset int64, data []byte) (chunk, error) {
	id, err := p.fs.storage.upload(ctx, p.name, data)
	if err != nil {
		return chunk{}, fmt.Errorf("upload of %s: %w", p.name, err)
	}
	return chunk{id: id, offset: offset, size: len(data)}, nil
}

func (p *dirtyPages) flush(ctx context.Context) ([]chunk, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.saveRange(ctx)
}

// A handle is an open file. All who open a file get the same one.
type handle struct {
	fs    *fileSystem
	name  string
	pages *dirtyPages

	mu     sync.Mutex
	chunks []chunk
}

func (fs *fileSystem) open(name string) *handle {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if h, ok := fs.handles[name]; ok {
		return h
	}
	h := &handle{fs: fs, name: name, pages: &dirtyPages{fs: fs, name: name}}
	fs.handles[name] = h
	return h
}

func (h *handle) write(ctx context.Context, offset int64, data []byte) (int, error) {
	chunks, err := h.pages.add(ctx, offset, data)
	h.mu.Lock()
	h.chunks = append(h.chunks, chunks...)
	h.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return len(data), nil
}

func (h *handle) flush(ctx context.Context) error {
	chunks, err := h.pages.flush(ctx)
	h.mu.Lock()
	h.chunks = append(h.chunks, chunks...)
	h.mu.Unlock()
	return err
}

// release is called each time that somebody closes the file, after a flush.
// Others may still have it open.
func (h *handle) release() {
	h.pages.releaseMemory()

	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if h.fs.handles[h.name] == h {
		delete(h.fs.handles, h.name)
	}
}
