// Package fixed reads large objects ahead, in blocks. What a read returns stands in
// the blocks themselves, until its callback is called.
package fixed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var (
	errFallback = errors.New("another reader has to be used")
	errNoBlock  = errors.New("no block is free")
)

type block struct {
	refs  atomic.Int32
	start int64
	data  []byte
	n     int
	ready chan struct{}
	err   error
}

func (b *block) reuse(start int64) {
	b.start, b.n, b.err = start, 0, nil
	b.ready = make(chan struct{})
}

func (b *block) download(ctx context.Context, object io.ReaderAt) {
	defer close(b.ready)
	if b.err = ctx.Err(); b.err != nil {
		return
	}
	b.n, b.err = object.ReadAt(b.data, b.start)
	if b.err == io.EOF {
		b.err = nil
	}
}

func (b *block) await(ctx context.Context) error {
	select {
	case <-b.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *block) slice(off int64, max int) []byte {
	data := b.data[min(off, int64(b.n)):b.n]
	return data[:min(max, len(data))]
}

// blockPool has a limited number of blocks. Its callers lock.
type blockPool struct {
	free       chan *block
	size       int64
	max, total int
}

func (p *blockPool) tryGet() (*block, error) {
	select {
	case b := <-p.free:
		return b, nil
	default:
		if p.total == p.max {
			return nil, errNoBlock
		}
		p.total++
		return &block{data: make([]byte, p.size)}, nil
	}
}

func (p *blockPool) release(b *block) {
	select {
	case p.free <- b:
	default:
		panic("more blocks than there are")
	}
}

type entry struct {
	block   *block
	cancel  context.CancelFunc
	evicted bool
}

type response struct {
	data     [][]byte
	size     int
	callback func() // to be called, if there is one, when data is not needed any more
}

type reader interface {
	ReadAt(ctx context.Context, size int, off int64) (response, error)
}

type bufferedReader struct {
	object io.ReaderAt
	size   int64

	mu    sync.Mutex
	pool  *blockPool
	queue []*entry
	next  int64 // the index of the block to be read ahead next
}

func newBufferedReader(object io.ReaderAt, size, blockSize int64, blocks int) *bufferedReader {
	pool := &blockPool{free: make(chan *block, blocks), size: blockSize, max: blocks}
	return &bufferedReader{object: object, size: size, pool: pool}
}

func (r *bufferedReader) pop() *entry {
	e := r.queue[0]
	r.queue = r.queue[1:]
	return e
}

// releaseOrMark releases the block of an entry that has left the queue, or leaves
// that to the last callback.
func (r *bufferedReader) releaseOrMark(e *entry) {
	if e.block.refs.Load() > 0 {
		e.evicted = true
	} else {
		r.pool.release(e.block)
	}
}

// prepare drops the blocks at the head of the queue that do not have the offset.
func (r *bufferedReader) prepare(off int64) {
	for len(r.queue) > 0 {
		if b := r.queue[0].block; off >= b.start && off < b.start+r.pool.size {
			return
		}
		e := r.pop()
		e.cancel()
		<-e.block.ready
		r.releaseOrMark(e)
	}
}

func (r *bufferedReader) schedule() error {
	b, err := r.pool.tryGet()
	if err != nil {
		return err
	}
	b.reuse(r.next * r.pool.size)
	ctx, cancel := context.WithCancel(context.Background())
	r.queue = append(r.queue, &entry{block: b, cancel: cancel})
	go b.download(ctx, r.object)
	r.next++
	return nil
}

// prefetch reads ahead as much as there are blocks for.
func (r *bufferedReader) prefetch() {
	for r.next*r.pool.size < r.size && r.schedule() == nil {
	}
}

func (r *bufferedReader) freshStart(off int64) error {
	r.next = off / r.pool.size
	if err := r.schedule(); err != nil {
		return err
	}
	r.prefetch()
	return nil
}

// ReadAt gives what is at off, at most size bytes.
func (r *bufferedReader) ReadAt(ctx context.Context, size int, off int64) (resp response, err error) {
	if off >= r.size {
		return resp, io.EOF
	}
	r.mu.Lock()
	defer r.mu.Unlock()

	var data [][]byte
	var entries []*entry
	defer func() {
		if errors.Is(err, errFallback) {
			r.giveUp(entries)
		}
	}()
	var total int
	for total < size && off < r.size {
		r.prepare(off)
		if len(r.queue) == 0 {
			if err = r.freshStart(off); err != nil {
				return resp, errFallback
			}
		}
		e := r.queue[0]
		b := e.block
		if err = b.await(ctx); err != nil {
			break
		}
		if b.err != nil {
			err = fmt.Errorf("block at %d: %w", b.start, b.err)
			r.pop()
			r.releaseOrMark(e)
			e.cancel()
			break
		}
		part := b.slice(off-b.start, size-total)
		if len(part) == 0 {
			err = io.ErrUnexpectedEOF
			break
		}
		total += len(part)
		off += int64(len(part))
		data = append(data, part)
		b.refs.Add(1)
		entries = append(entries, e)
		if off >= b.start+int64(b.n) {
			r.pop()
			e.cancel()
			r.releaseOrMark(e)
			r.prefetch()
		}
	}
	resp.data = data
	resp.size = total
	resp.callback = func() { r.done(entries) }
	return resp, err
}

// done is called when what a read gave is not needed any more.
func (r *bufferedReader) done(entries []*entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveUp(entries)
}

// giveUp gives up the references that a read took.
func (r *bufferedReader) giveUp(entries []*entry) {
	for _, e := range entries {
		if e.block.refs.Add(-1) == 0 && e.evicted {
			r.pool.release(e.block)
		}
	}
}

// manager reads with the first of its readers that can.
type manager struct{ readers []reader }

func (m *manager) ReadAt(ctx context.Context, size int, off int64) (resp response, err error) {
	for _, r := range m.readers {
		resp, err = r.ReadAt(ctx, size, off)
		if !errors.Is(err, errFallback) {
			return resp, err
		}
	}
	return resp, err
}
