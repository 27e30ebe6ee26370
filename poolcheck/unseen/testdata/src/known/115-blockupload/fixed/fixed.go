// Package fixed writes files to a bucket: blocks are filled by the writer and sent
// by another goroutine.
package fixed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// A block is memory that a file is written to. free gives it back to the system.
type block struct {
	data []byte
	n    int
}

func newBlock(size int) *block { return &block{data: make([]byte, size)} }

func (b *block) Reuse()      { b.n = 0 }
func (b *block) Size() int   { return b.n }
func (b *block) free() error { b.data = nil; return nil }

func (b *block) Write(p []byte) (int, error) {
	if len(p) > len(b.data)-b.n {
		return 0, io.ErrShortWrite
	}
	b.n += copy(b.data[b.n:], p)
	return len(p), nil
}

func (b *block) Reader() io.Reader { return bytes.NewReader(b.data[:b.n]) }

var errNoBlock = errors.New("cannot allocate any block")

// A blockPool has the blocks of one file. All files together have as many as
// there are permits.
type blockPool struct {
	free    chan *block
	size    int
	total   int
	max     int
	permits chan struct{}
}

func newBlockPool(size, maxBlocks int, permits chan struct{}) *blockPool {
	return &blockPool{free: make(chan *block, maxBlocks), size: size, max: maxBlocks, permits: permits}
}

// Get returns a free block, or a new one, or waits. It is called by one
// goroutine.
func (p *blockPool) Get() (*block, error) {
	select {
	case b := <-p.free:
		b.Reuse()
		return b, nil
	default:
	}
	if p.total < p.max {
		select {
		case p.permits <- struct{}{}:
			p.total++
			return newBlock(p.size), nil
		default:
		}
	}
	if p.total == 0 {
		return nil, errNoBlock
	}
	b := <-p.free
	b.Reuse()
	return b, nil
}

// Release takes back a block.
func (p *blockPool) Release(b *block) {
	select {
	case p.free <- b:
	default:
		panic("block pool has more blocks than it made")
	}
}

// Clear frees the blocks that are not in use.
func (p *blockPool) Clear() error {
	var errs []error
	for {
		select {
		case b := <-p.free:
			errs = append(errs, b.free())
			p.total--
			<-p.permits
		default:
			return errors.Join(errs...)
		}
	}
}

// A bucket makes objects. What the writer is given is lost if ctx ends.
type bucket interface {
	Create(ctx context.Context, name string) (io.WriteCloser, error)
}

type sender struct {
	queue  chan *block
	wg     sync.WaitGroup // blocks that are not uploaded yet
	start  sync.Once
	pool   *blockPool
	bucket bucket
	name   string
	writer io.WriteCloser
	cancel context.CancelFunc
	err    atomic.Pointer[error]
}

// Send queues a block, which run releases. If it fails the block
// still belongs to the caller.
func (u *sender) Send(b *block) error {
	u.wg.Add(1)
	if err := u.open(); err != nil {
		u.wg.Done()
		return err
	}
	u.start.Do(func() { go u.run() })
	u.queue <- b
	return nil
}

func (u *sender) open() (err error) {
	if u.writer != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	if u.writer, err = u.bucket.Create(ctx, u.name); err != nil {
		cancel()
		return fmt.Errorf("create %s: %w", u.name, err)
	}
	u.cancel = cancel
	return nil
}

func (u *sender) failure() error {
	if err := u.err.Load(); err != nil {
		return *err
	}
	return nil
}

// run uploads blocks and puts them back, whether that succeeds or not.
func (u *sender) run() {
	for b := range u.queue {
		if u.failure() == nil {
			if _, err := io.Copy(u.writer, b.Reader()); err != nil {
				u.err.Store(&err)
			}
		}
		u.pool.Release(b)
		u.wg.Done()
	}
}

// Finish waits for all blocks and ends the object.
func (u *sender) Finish() error {
	u.wg.Wait()
	close(u.queue)
	if err := u.open(); err != nil {
		return err
	}
	defer u.cancel()
	return errors.Join(u.writer.Close(), u.failure())
}

// Destroy drops the blocks that wait.
func (u *sender) Destroy() {
	if u.cancel != nil {
		u.cancel()
	}
	for {
		select {
		case b, ok := <-u.queue:
			if !ok {
				return
			}
			u.pool.Release(b)
			u.wg.Done()
		default:
			close(u.queue)
			u.wg.Wait()
			return
		}
	}
}

// A WriteHandler takes the writes to one file.
type WriteHandler struct {
	current *block
	pool    *blockPool
	sender  *sender
	total   int64
}

func NewWriteHandler(b bucket, name string, blockSize, maxBlocks int, permits chan struct{}) *WriteHandler {
	p := newBlockPool(blockSize, maxBlocks, permits)
	u := &sender{queue: make(chan *block, maxBlocks), pool: p, bucket: b, name: name}
	return &WriteHandler{pool: p, sender: u}
}

func (h *WriteHandler) Write(data []byte) (err error) {
	if err := h.sender.failure(); err != nil {
		return err
	}
	for len(data) > 0 {
		if h.current == nil {
			if h.current, err = h.pool.Get(); err != nil {
				return err
			}
		}
		n := min(h.pool.size-h.current.Size(), len(data))
		if _, err := h.current.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
		h.total += int64(n)
		if h.current.Size() == h.pool.size {
			if err := h.sender.Send(h.current); err != nil {
				return err
			}
			h.current = nil
		}
	}
	return nil
}

// Flush uploads what is left.
func (h *WriteHandler) Flush() error {
	if h.current != nil {
		if err := h.sender.Send(h.current); err != nil {
			return err
		}
		h.current = nil
	}
	if err := h.sender.Finish(); err != nil {
		return err
	}
	return h.pool.Clear()
}

// Destroy ends the file, whether it was flushed or not.
func (h *WriteHandler) Destroy() error {
	if h.current != nil {
		h.pool.Release(h.current)
		h.current = nil
	}
	h.sender.Destroy()
	return h.pool.Clear()
}
