// Package bug writes blocks of columns, each column into a buffer of pooled chunks.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
)

const (
	initialSize = 256 << 10
	poolLength  = 1024
)

// A leaky pool keeps some chunks and drops what is over.
var chunkPool = make(chan []byte, poolLength)

func getChunk(capacity int) []byte {
	select {
	case c := <-chunkPool:
		if cap(c) >= capacity {
			return c[:0]
		}
		putChunk(c)
	default:
	}
	return make([]byte, 0, capacity)
}

func putChunk(c []byte) {
	select {
	case chunkPool <- c[:0]:
	default:
	}
}

// A writeBuffer has chunks that double in size.
type writeBuffer struct{ chunks [][]byte }

func newWriteBuffer(size int) *writeBuffer {
	b := new(writeBuffer)
	b.addChunk(size)
	return b
}

func (b *writeBuffer) addChunk(capacity int) {
	b.chunks = append(b.chunks, getChunk(capacity))
}

func (b *writeBuffer) nextCapacity(n int) int {
	n = max(n, 64)
	if len(b.chunks) == 0 {
		return n
	}
	return max(n, 2*cap(b.chunks[len(b.chunks)-1]))
}

func (b *writeBuffer) Write(p []byte) (int, error) {
	n, last := len(p), len(b.chunks)-1
	if last < 0 {
		b.addChunk(initialSize)
		last = 0
	}
	for {
		free := cap(b.chunks[last]) - len(b.chunks[last])
		if free >= len(p) {
			b.chunks[last] = append(b.chunks[last], p...)
			return n, nil
		}
		b.chunks[last] = append(b.chunks[last], p[:free]...)
		p = p[free:]
		b.addChunk(b.nextCapacity(len(p)))
		last++
	}
}

func (b *writeBuffer) WriteTo(w io.Writer) (int64, error) {
	var size int64
	for _, c := range b.chunks {
		n, err := w.Write(c)
		if err != nil {
			b.Reset()
			return 0, err
		}
		size += int64(n)
	}
	b.Reset()
	return size, nil
}

// Reset puts the chunks back and keeps the last, which is the largest.
func (b *writeBuffer) Reset() {
	if len(b.chunks) == 0 {
		return
	}
	for _, c := range b.chunks[:len(b.chunks)-1] {
		putChunk(c)
	}
	b.chunks[0] = b.chunks[len(b.chunks)-1][:0]
	b.chunks = b.chunks[:1]
}

type column interface {
	Name() string
	Write(w io.Writer, v any) error
}

type columnBuffer struct{ offsets, values *writeBuffer }

func (b *columnBuffer) WriteTo(w io.Writer) (int64, error) {
	n, err := b.offsets.WriteTo(w)
	if err != nil {
		return n, err
	}
	m, err := b.values.WriteTo(w)
	return n + m, err
}

func (b *columnBuffer) reset() {
	b.offsets.Reset()
	b.values.Reset()
}

type block struct {
	columns []column
	buffers []*columnBuffer
	rows    int
}

func (b *block) reserve() {
	if len(b.buffers) > 0 {
		return
	}
	b.buffers = make([]*columnBuffer, len(b.columns))
	for i := range b.buffers {
		b.buffers[i] = &columnBuffer{offsets: newWriteBuffer(initialSize), values: newWriteBuffer(initialSize)}
	}
}

var errColumns = errors.New("row does not have the columns of the block")

func (b *block) appendRow(row []any) error {
	if len(row) != len(b.columns) {
		return errColumns
	}
	b.reserve()
	b.rows++
	for i, c := range b.columns {
		if list, ok := row[i].([]any); ok {
			offset := binary.LittleEndian.AppendUint64(nil, uint64(len(list)))
			if _, err := b.buffers[i].offsets.Write(offset); err != nil {
				return err
			}
			for _, v := range list {
				if err := c.Write(b.buffers[i].values, v); err != nil {
					return err
				}
			}
		} else if err := c.Write(b.buffers[i].values, row[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) write(w io.Writer) error {
	for i, c := range b.columns {
		if _, err := io.WriteString(w, c.Name()); err != nil {
			return err
		}
		if len(b.buffers) == len(b.columns) {
			if _, err := b.buffers[i].WriteTo(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reset forgets the buffers.
func (b *block) Reset() {
	b.rows = 0
	for _, buffer := range b.buffers {
		buffer.reset()
	}
	b.buffers = nil
}

type conn struct {
	w     io.Writer
	block *block
}

func (c *conn) prepare(columns []column) {
	c.rollback()
	c.block = &block{columns: columns}
}

func (c *conn) commit() error {
	defer func() {
		c.block.Reset()
		c.block = nil
	}()
	return c.block.write(c.w)
}

func (c *conn) rollback() {
	if c.block != nil {
		c.block.Reset()
		c.block = nil
	}
}
