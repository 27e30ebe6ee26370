package idioms

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

// batch has one of two pools, told by whether it has an index.
type batch struct {
	data  []byte
	index map[string]int
	owner *store
	refs  atomic.Int32
}

type store struct {
	mu  sync.Mutex
	log io.Writer
}

var (
	batchPool   = sync.Pool{New: func() any { return new(batch) }}
	indexedPool = sync.Pool{New: func() any { return &batch{index: map[string]int{}} }}
)

// ok: a batch without an index.
func newBatch(s *store) *batch {
	b := batchPool.Get().(*batch)
	b.owner = s
	return b
}

// ok: a batch with one.
func newIndexed(s *store) *batch {
	b := indexedPool.Get().(*batch)
	b.owner = s
	return b
}

// ok: each goes back to its own pool; a batch that failed goes to none.
func (b *batch) release() {
	if b.owner == nil {
		return
	}
	b.owner = nil
	b.data = b.data[:0]
	if b.index == nil {
		batchPool.Put(b)
	} else {
		clear(b.index)
		indexedPool.Put(b)
	}
}

// ok: closed at once, or by the last who holds it.
func (b *batch) Close() error {
	for {
		v := b.refs.Load()
		if v == 0 {
			b.release()
			return nil
		}
		if b.refs.CompareAndSwap(v, v|1<<30) {
			return nil
		}
	}
}

// ok: released on success only; what failed may be stuck somewhere.
func (s *store) set(key, val string) error {
	b := newBatch(s)
	b.data = append(append(b.data, key...), val...)
	if err := s.apply(b); err != nil {
		return err
	}
	return b.Close()
}

// ok: the deferred Close of a batch.
func (s *store) touch() {
	b := newBatch(s)
	defer func() { _ = b.Close() }()
	b.data = append(b.data, 0)
	s.apply(b)
}

func (s *store) apply(b *batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.log.Write(b.data)
	return err
}

// block has memory with a pool of its own.
type block struct {
	handle *bytes.Buffer
	off    int
}

func (b *block) free() {
	bufPool.Put(b.handle)
	b.handle = nil
}

// blockWriter keeps its finished blocks until it is released.
type blockWriter struct {
	blocks []block
	cur    *bytes.Buffer
}

var blockWriterPool = sync.Pool{New: func() any { return new(blockWriter) }}

// ok: the blocks, the current buffer and the writer are different memory.
func (w *blockWriter) release() {
	for i := range w.blocks {
		w.blocks[i].free()
		w.blocks[i] = block{}
	}
	bufPool.Put(w.cur)
	w.cur = nil
	*w = blockWriter{blocks: w.blocks[:0]}
	blockWriterPool.Put(w)
}

// ok: each finished block that comes over the channel is freed once.
func drain(in <-chan *block, w io.Writer) {
	for b := range in {
		if _, err := w.Write(b.handle.Bytes()); err != nil {
			b.free()
			continue
		}
		b.free()
	}
}

// window is pooled by its capacity.
type window struct{ buf []byte }

var windowPools = map[int]*sync.Pool{}

// ok: the object is put, and its slice with it.
func (w *window) close() {
	w.buf = w.buf[:0]
	windowPools[cap(w.buf)].Put(w)
}

// message closes its window once.
type message struct{ win *window }

// ok: the field is set to nil.
func (m *message) close() {
	if m.win != nil {
		m.win.close()
		m.win = nil
	}
}
