// Package fixed uploads files in parts of one size, several at a time.
package fixed

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

const (
	bigLimit        = 10 << 20
	maxParts        = 4000
	defaultPartSize = 128 << 10
	maxPartSize     = 512 << 10
)

// buffer is what parts are read into.
type buffer struct{ data []byte }

// bufferPool has buffers for parts of one size.
type bufferPool struct{ pool sync.Pool }

func newBufferPool(size int) *bufferPool {
	return &bufferPool{pool: sync.Pool{New: func() any { return &buffer{data: make([]byte, 0, size)} }}}
}

func (p *bufferPool) GetSize(n int) *buffer {
	b := p.pool.Get().(*buffer)
	b.data = append(b.data[:0], make([]byte, n)...)
	return b
}

func (p *bufferPool) Put(b *buffer) { p.pool.Put(b) }

type client interface {
	SavePart(ctx context.Context, id int64, part int, data []byte) (bool, error)
	SaveBigPart(ctx context.Context, id int64, part, total int, data []byte) (bool, error)
}

// upload is a file that is sent.
type upload struct {
	id         int64
	sent       atomic.Int64
	totalParts int
	partSize   int
	pool       *bufferPool // for parts of partSize
	big        bool
	name       string
	size       int64 // -1 if it is not known
	from       io.Reader
}

type sentFile struct {
	id    int64
	parts int
	name  string
	sum   string
}

// uploader sends files, which many may ask it for at the same time.
type uploader struct {
	rpc      client
	partSize int
	auto     bool // larger parts for large files
	pool     *bufferPool
	threads  int
}

func newUploader(rpc client, threads int) *uploader {
	u := &uploader{rpc: rpc, threads: max(threads, 1), auto: true}
	u.setPartSize(defaultPartSize)
	return u
}

func (u *uploader) setPartSize(size int) {
	u.partSize = size
	u.pool = newBufferPool(size)
}

// withPartSize is for those who want parts of the same size for every file.
func (u *uploader) withPartSize(size int) *uploader {
	u.auto = false
	u.setPartSize(size)
	return u
}

func countParts(partSize int, size int64) int {
	return int((size + int64(partSize) - 1) / int64(partSize))
}

func choosePartSize(size int64) int {
	partSize := defaultPartSize
	for partSize < maxPartSize && countParts(partSize, size) > maxParts {
		partSize *= 2
	}
	return partSize
}

func (u *uploader) initUpload(up *upload, partSize int, pool *bufferPool) error {
	up.big = up.size > bigLimit
	up.totalParts = countParts(partSize, up.size)
	if !up.big && up.totalParts > maxParts {
		return fmt.Errorf("%d parts are too many", up.totalParts)
	}
	if up.id == 0 {
		up.id = rand.Int64()
		up.partSize = partSize
	} else if up.partSize != partSize {
		return fmt.Errorf("upload began with parts of %d, not %d", up.partSize, partSize)
	}
	up.pool = pool
	return nil
}

// Upload sends a file.
func (u *uploader) Upload(ctx context.Context, up *upload) (*sentFile, error) {
	partSize, pool := u.partSize, u.pool
	if u.auto && up.size > 0 {
		if size := choosePartSize(up.size); size != partSize {
			partSize = size
			pool = newBufferPool(size)
		}
	}
	if partSize <= 0 || maxPartSize%partSize != 0 {
		return nil, fmt.Errorf("bad part size %d", partSize)
	}
	if err := u.initUpload(up, partSize, pool); err != nil {
		return nil, err
	}
	if up.size == -1 {
		up.big = true
		up.totalParts = -1
	}
	if up.big {
		if err := u.bigLoop(ctx, up); err != nil {
			return nil, err
		}
		return &sentFile{id: up.id, parts: int(up.sent.Load()), name: up.name}, nil
	}
	h := md5.New()
	if err := u.smallLoop(ctx, h, up); err != nil {
		return nil, err
	}
	return &sentFile{id: up.id, parts: int(up.sent.Load()), name: up.name, sum: hex.EncodeToString(h.Sum(nil))}, nil
}

func (u *uploader) smallLoop(ctx context.Context, h hash.Hash, up *upload) error {
	buf := up.pool.GetSize(up.partSize)
	defer up.pool.Put(buf)
	r := io.TeeReader(up.from, h)
	for {
		n, err := io.ReadFull(r, buf.data)
		if err == io.EOF {
			return nil
		}
		if err != nil && err != io.ErrUnexpectedEOF {
			return err
		}
		saved := false
		for !saved {
			var saveErr error
			saved, saveErr = u.rpc.SavePart(ctx, up.id, int(up.sent.Load()), buf.data[:n])
			if saveErr != nil {
				return saveErr
			}
		}
		up.sent.Add(1)
		if err != nil {
			return nil
		}
	}
}

type part struct {
	number, total int

	buf    *buffer
	upload *upload
}

func (u *uploader) sendPart(ctx context.Context, p part) error {
	defer p.upload.pool.Put(p.buf)
	for {
		saved, err := u.rpc.SaveBigPart(ctx, p.upload.id, p.number, p.total, p.buf.data)
		if err != nil {
			return fmt.Errorf("sending part %d: %w", p.number, err)
		}
		// Otherwise it was not saved, and is sent once more.
		if saved {
			return nil
		}
	}
}

func (u *uploader) bigLoop(ctx context.Context, up *upload) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	toSend := make(chan part, u.threads)
	var group sync.WaitGroup
	group.Add(1 + u.threads)

	go func() {
		defer group.Done()
		defer close(toSend)
		if err := u.readParts(ctx, up, toSend); err != nil {
			cancel(err)
		}
	}()
	for range u.threads {
		go func() {
			defer group.Done()
			// After an error the parts that were read are taken all the same.
			for p := range toSend {
				if ctx.Err() != nil {
					up.pool.Put(p.buf)
				} else if err := u.sendPart(ctx, p); err != nil {
					cancel(err)
				}
			}
		}()
	}
	group.Wait()
	return context.Cause(ctx)
}

func (u *uploader) readParts(ctx context.Context, up *upload, toSend chan<- part) error {
	var total int64
	for last := false; !last; {
		buf := up.pool.GetSize(up.partSize)
		n, err := io.ReadFull(up.from, buf.data)
		total += int64(n)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			last = true
			if up.totalParts == -1 {
				up.totalParts = countParts(up.partSize, total)
			}
		case errors.Is(err, io.EOF):
			up.pool.Put(buf)
			return nil
		case err != nil:
			up.pool.Put(buf)
			return err
		}
		buf.data = buf.data[:n]
		select {
		case toSend <- part{number: int(up.sent.Load()), total: up.totalParts, buf: buf, upload: up}:
			up.sent.Add(1)
		case <-ctx.Done():
			up.pool.Put(buf)
			return ctx.Err()
		}
	}
	return nil
}
