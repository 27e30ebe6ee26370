// Package heavy has functions that take more work than one may: a round of their loops has
// acquired some columns, in one of two ways each, and released those of the round before.
package heavy

import (
	"encoding/binary"
	"io"
	"sync"
)

type allocator interface {
	allocate(size int) []byte
	free(p []byte)
}

type poolAllocator struct{ pool sync.Pool }

func newPoolAllocator() *poolAllocator {
	return &poolAllocator{sync.Pool{New: func() any { return new([]byte) }}}
}

func (a *poolAllocator) allocate(size int) []byte {
	p := a.pool.Get().(*[]byte)
	if cap(*p) < size {
		*p = make([]byte, size)
	}
	return (*p)[:size]
}

func (a *poolAllocator) free(p []byte) { a.pool.Put(&p) }

type grid struct {
	mem     allocator
	columns [][]byte
}

func (t *grid) release() {
	for _, c := range t.columns {
		t.mem.free(c)
	}
	t.columns = nil
}

type gridReader struct {
	src  io.Reader
	mem  allocator
	head []byte
	grid *grid
	err  error
}

func newGridReader(src io.Reader, mem allocator) (*gridReader, error) {
	r := &gridReader{src: src, mem: mem, head: mem.allocate(8)}
	if _, err := io.ReadFull(src, r.head); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

func (r *gridReader) release() {
	if r.grid != nil {
		r.grid.release()
		r.grid = nil
	}
	if r.head != nil {
		r.mem.free(r.head)
		r.head = nil
	}
}

func (r *gridReader) next() bool {
	if r.grid != nil {
		r.grid.release()
		r.grid = nil
	}
	var size [4]byte
	if _, err := io.ReadFull(r.src, size[:]); err != nil {
		r.err = err
		return false
	}
	r.grid = &grid{mem: r.mem}
	for range binary.LittleEndian.Uint32(r.head) {
		c := r.mem.allocate(int(binary.LittleEndian.Uint32(size[:])))
		r.grid.columns = append(r.grid.columns, c)
		if _, r.err = io.ReadFull(r.src, c); r.err != nil {
			return false
		}
	}
	return true
}

func decodeAll(r *gridReader) error {
	defer r.release()
	for r.next() {
	}
	return r.err
}

// ok: decodeAll releases the reader.
func decodeGrids(src io.Reader, mem allocator) error {
	r, err := newGridReader(src, mem)
	if err != nil {
		return err
	}
	return decodeAll(r)
}

// A gridChunk counts the columns of a reader.
type gridChunk struct {
	reader  *gridReader
	columns int
}

func (c *gridChunk) count() error {
	defer c.reader.release()
	for c.reader.next() {
		c.columns += len(c.reader.grid.columns)
	}
	return c.reader.err
}

// ok: count releases the reader.
func countColumns(src io.Reader, mem allocator) (int, error) {
	r, err := newGridReader(src, mem)
	if err != nil {
		return 0, err
	}
	c := gridChunk{r, 0}
	err = c.count()
	return c.columns, err
}
