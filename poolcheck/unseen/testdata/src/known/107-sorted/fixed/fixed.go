// Package fixed writes tables of sorted keys, block by block.
package fixed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"sync"
)

// Metadata describes a table.
type Metadata struct {
	Size     uint64
	Largest  []byte
	hasPoint bool
}

func (m *Metadata) noteLargest(key []byte) {
	m.Largest = key
	m.hasPoint = true
}

type blockWriter struct {
	nEntries int
	buf      []byte
	lastKey  []byte // the key that was added last, and its trailer
}

func (b *blockWriter) add(key []byte, trailer uint64, value []byte) {
	b.lastKey = append(b.lastKey[:0], key...)
	b.lastKey = binary.LittleEndian.AppendUint64(b.lastKey, trailer)
	b.buf = binary.AppendUvarint(b.buf, uint64(len(b.lastKey)))
	b.buf = append(b.buf, b.lastKey...)
	b.buf = binary.AppendUvarint(b.buf, uint64(len(value)))
	b.buf = append(b.buf, value...)
	b.nEntries++
}

func (b *blockWriter) finish() []byte {
	return binary.LittleEndian.AppendUint32(b.buf, uint32(b.nEntries))
}

func (b *blockWriter) clear() {
	b.nEntries = 0
	b.buf = b.buf[:0]
	b.lastKey = b.lastKey[:0]
}

// A blockState is the state of a block, from its first key until it is written.
type blockState struct {
	block    blockWriter
	finished []byte
	scratch  []byte
	checksum uint32
}

func (d *blockState) finish() {
	d.finished = d.block.finish()
	d.checksum = crc32.ChecksumIEEE(d.finished)
}

type job struct {
	ready     chan bool
	buf       *blockState
	separator []byte
}

var jobs = sync.Pool{
	New: func() any { return &job{ready: make(chan bool, 1)} },
}

// A blockQueue writes blocks in their order.
type blockQueue struct {
	writer *Writer
	err    error
}

func (q *blockQueue) perform(task *job) error {
	n, err := q.writer.dst.Write(task.buf.finished)
	if err != nil {
		return err
	}
	q.writer.meta.Size += uint64(n)
	q.writer.index.add(task.separator, uint64(task.buf.checksum), nil)
	return nil
}

func (q *blockQueue) giveBack(task *job) {
	task.buf.block.clear()
	task.buf = nil
	task.separator = nil
	jobs.Put(task)
}

// run writes the block of a task at once.
func (q *blockQueue) run(task *job) error {
	<-task.ready
	if q.err == nil {
		q.err = q.perform(task)
	}
	q.giveBack(task)
	return q.err
}

// A Writer writes a table.
type Writer struct {
	dst       io.Writer
	meta      Metadata
	index     blockWriter
	cur       blockState
	queue     *blockQueue
	blockSize int
	seq       uint64
	closed    bool
	err       error
}

func NewWriter(dst io.Writer, blockSize int) *Writer {
	w := &Writer{dst: dst, blockSize: blockSize}
	w.queue = &blockQueue{writer: w}
	return w
}

// Add adds a key, which must be larger than those before.
func (w *Writer) Add(key, value []byte) error {
	if w.err != nil {
		return w.err
	}
	if w.meta.hasPoint && bytes.Compare(key, w.meta.Largest) <= 0 {
		w.err = errors.New("keys must be added in order")
		return w.err
	}
	if err := w.maybeFlush(key); err != nil {
		return err
	}
	w.seq++
	w.cur.block.add(key, w.seq, value)
	// The block has a copy of the key.
	lastKey := w.cur.block.lastKey
	w.meta.noteLargest(lastKey[:len(lastKey)-8])
	return nil
}

func (w *Writer) maybeFlush(key []byte) error {
	if len(w.cur.block.buf) < w.blockSize {
		return nil
	}
	if err := w.flush(key); err != nil {
		w.err = err
		return err
	}
	return nil
}

// flush writes the block. The key is the first of the next, if there is one.
func (w *Writer) flush(key []byte) error {
	w.cur.finish()
	task := jobs.Get().(*job)
	task.ready <- true
	task.buf = &w.cur
	task.separator = w.separator(key)
	return w.queue.run(task)
}

// separator returns a short key from the last one of the block on and before key.
func (w *Writer) separator(key []byte) []byte {
	d := &w.cur
	last := d.block.lastKey[:len(d.block.lastKey)-8]
	d.scratch = d.scratch[:0]
	for i, c := range last {
		d.scratch = append(d.scratch, c)
		if i < len(key) && c+1 < key[i] {
			d.scratch[i]++
			break
		}
	}
	return d.scratch
}

// Close writes what is left, and the index.
func (w *Writer) Close() (*Metadata, error) {
	if w.closed {
		return nil, w.err
	}
	w.closed = true
	if w.err == nil && w.cur.block.nEntries > 0 {
		w.err = w.flush(nil)
	}
	if w.err != nil {
		return nil, w.err
	}
	if _, err := w.dst.Write(w.index.finish()); err != nil {
		w.err = err
		return nil, err
	}
	w.err = errors.New("writer is closed")
	meta := w.meta
	return &meta, nil
}
