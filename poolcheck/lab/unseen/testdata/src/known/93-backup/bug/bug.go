// Package bug cuts files into chunks and saves these.
package bug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A buffer comes from a pool. Its user releases it.
type buffer struct {
	data []byte
	pool *bufferPool
}

// Release gives the buffer back to its pool, if it has not become too large.
func (b *buffer) Release() {
	if cap(b.data) > b.pool.size {
		return
	}
	b.pool.pool.Put(b)
}

type bufferPool struct {
	pool sync.Pool
	size int
}

func newBufferPool(size int) *bufferPool {
	p := &bufferPool{size: size}
	p.pool.New = func() any { return &buffer{data: make([]byte, 0, size), pool: p} }
	return p
}

func (p *bufferPool) Get() *buffer { return p.pool.Get().(*buffer) }

// A chunker cuts what it reads. Next returns the next chunk, in data if there is room.
type chunker interface {
	Reset(r io.ByteReader)
	Next(data []byte) ([]byte, error)
}

type blobID [32]byte

// An uploader saves blobs. It always calls back, and reads data until it does.
type uploader interface {
	SaveBlobAsync(ctx context.Context, data []byte, done func(id blobID, known bool, err error))
}

type source interface {
	io.ByteReader
	io.Closer
	IsRegular() bool
}

// A fileNode is a file that has been saved.
type fileNode struct {
	size    uint64
	content []blobID
	added   int
}

type saveJob struct {
	name     string
	file     source
	complete func(*fileNode, error)
}

type fileSaver struct {
	buffers  *bufferPool
	uploader uploader
}

func (s *fileSaver) saveFile(ctx context.Context, cutter chunker, job saveJob) {
	var (
		lock      sync.Mutex
		node      = new(fileNode)
		remaining = 1
		completed bool
	)
	completeBlob := func() {
		lock.Lock()
		defer lock.Unlock()
		if remaining--; remaining == 0 && !completed {
			completed = true
			job.complete(node, nil)
		}
	}
	completeError := func(err error) {
		lock.Lock()
		defer lock.Unlock()
		if !completed {
			completed = true
			job.complete(nil, fmt.Errorf("saving %s: %w", job.name, err))
		}
	}

	if !job.file.IsRegular() {
		_ = job.file.Close()
		completeError(errors.New("it is not a regular file"))
		return
	}
	cutter.Reset(job.file)
	for i := 0; ; i++ {
		buf := s.buffers.Get()
		chunk, err := cutter.Next(buf.data)
		if err == io.EOF {
			buf.Release()
			break
		}
		if err != nil {
			_ = job.file.Close()
			completeError(err)
			return
		}
		buf.data = chunk
		size := len(chunk)

		if ctx.Err() != nil {
			_ = job.file.Close()
			completeError(ctx.Err())
			return
		}
		lock.Lock()
		node.size += uint64(size)
		node.content = append(node.content, blobID{})
		remaining++
		lock.Unlock()

		s.uploader.SaveBlobAsync(ctx, buf.data, func(id blobID, known bool, err error) {
			defer buf.Release()
			if err != nil {
				completeError(err)
				return
			}
			lock.Lock()
			if !known {
				node.added += len(buf.data)
			}
			node.content[i] = id
			lock.Unlock()
			completeBlob()
		})

		if ctx.Err() != nil {
			_ = job.file.Close()
			completeError(ctx.Err())
			return
		}
	}
	if err := job.file.Close(); err != nil {
		completeError(err)
		return
	}
	completeBlob()
}
