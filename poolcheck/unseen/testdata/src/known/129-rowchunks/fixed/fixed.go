// Package fixed downloads the chunks of a result and decodes them to rows, or
// to records that the caller decodes.
package fixed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// An allocator has memory that is given back by hand.
type allocator interface {
	allocate(size int) []byte
	free(p []byte)
}

type poolAllocator struct{ blocks sync.Pool }

func newPoolAllocator() *poolAllocator {
	return &poolAllocator{sync.Pool{New: func() any { return new([]byte) }}}
}

func (a *poolAllocator) allocate(size int) []byte {
	p := a.blocks.Get().(*[]byte)
	if cap(*p) < size {
		*p = make([]byte, size)
	}
	return (*p)[:size]
}

func (a *poolAllocator) free(p []byte) { a.blocks.Put(&p) }

// A record has columns, one after the other, each with a text for each row.
type record struct {
	mem  allocator
	refs int
	rows int
	cols [][]byte
}

func (r *record) retain() { r.refs++ }

func (r *record) release() {
	if r.refs--; r.refs == 0 {
		for _, c := range r.cols {
			r.mem.free(c)
		}
		r.cols = nil
	}
}

// A recordReader reads the records of a stream. It holds its head, and the
// record that it read last.
type recordReader struct {
	src  io.Reader
	mem  allocator
	head []byte
	rec  *record
	err  error
}

func newRecordReader(src io.Reader, mem allocator) (*recordReader, error) {
	r := &recordReader{src: src, mem: mem, head: mem.allocate(8)}
	if _, err := io.ReadFull(src, r.head); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

func (r *recordReader) release() {
	if r.rec != nil {
		r.rec.release()
		r.rec = nil
	}
	if r.head != nil {
		r.mem.free(r.head)
		r.head = nil
	}
}

func (r *recordReader) next() bool {
	if r.rec != nil {
		r.rec.release()
		r.rec = nil
	}
	rows := make([]byte, 4)
	if _, err := io.ReadFull(r.src, rows); err != nil {
		if err != io.EOF {
			r.err = err
		}
		return false
	}
	r.rec = &record{mem: r.mem, refs: 1, rows: int(binary.LittleEndian.Uint32(rows))}
	for range binary.LittleEndian.Uint32(r.head) {
		var size uint32
		if r.err = binary.Read(r.src, binary.LittleEndian, &size); r.err != nil {
			return false
		}
		col := r.mem.allocate(int(size))
		r.rec.cols = append(r.rec.cols, col)
		if _, r.err = io.ReadFull(r.src, col); r.err != nil {
			return false
		}
	}
	return true
}

func columnValues(values []string, col []byte) error {
	for i := range values {
		n, size := binary.Uvarint(col)
		if size <= 0 || n > uint64(len(col)-size) {
			return fmt.Errorf("row %d: value is cut off", i)
		}
		values[i] = string(col[size : size+int(n)])
		col = col[size+int(n):]
	}
	return nil
}

type row []string

type resultChunk struct {
	reader *recordReader
	rows   int
}

func (c *resultChunk) decodeRows() ([]row, error) {
	defer c.reader.release()
	var rows []row
	for c.reader.next() {
		rec := c.reader.rec
		start := len(rows)
		rows = append(rows, make([]row, rec.rows)...)
		for i := start; i < len(rows); i++ {
			rows[i] = make(row, len(rec.cols))
		}
		for col, data := range rec.cols {
			values := make([]string, rec.rows)
			if err := columnValues(values, data); err != nil {
				return nil, err
			}
			for i, v := range values {
				rows[start+i][col] = v
			}
		}
		c.rows += rec.rows
	}
	return rows, c.reader.err
}

// decodeBatch returns the records, which the caller releases.
func (c *resultChunk) decodeBatch() ([]*record, error) {
	defer c.reader.release()
	var recs []*record
	for c.reader.next() {
		rec := c.reader.rec
		rec.retain()
		recs = append(recs, rec)
	}
	if err := c.reader.err; err != nil {
		for _, rec := range recs {
			rec.release()
		}
		return nil, err
	}
	return recs, nil
}

// firstChunk decodes the chunk that came with the answer itself.
func firstChunk(encoded string, mem allocator) (resultChunk, error) {
	p, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return resultChunk{}, err
	}
	rr, err := newRecordReader(bytes.NewReader(p), mem)
	if err != nil {
		return resultChunk{}, err
	}
	return resultChunk{rr, 0}, nil
}

type downloader struct {
	mem     allocator
	first   string
	get     func(ctx context.Context, idx int) (io.ReadCloser, error)
	batches bool

	mu      sync.Mutex
	chunks  map[int][]row
	records map[int][]*record
}

func (d *downloader) start() ([]row, error) {
	if d.first == "" {
		return nil, nil
	}
	chunk, err := firstChunk(d.first, d.mem)
	if err != nil {
		return nil, err
	}
	return chunk.decodeRows()
}

// download may be called for several chunks at a time.
func (d *downloader) download(ctx context.Context, idx int) error {
	body, err := d.get(ctx, idx)
	if err != nil {
		return err
	}
	defer body.Close()
	return d.decode(idx, bufio.NewReader(body))
}

func (d *downloader) decode(idx int, body io.Reader) error {
	rr, err := newRecordReader(body, d.mem)
	if err != nil {
		return err
	}
	chunk := resultChunk{rr, 0}
	if d.batches {
		recs, err := chunk.decodeBatch()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.records[idx] = recs
		return err
	}
	rows, err := chunk.decodeRows()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.chunks[idx] = rows
	return nil
}

// take returns the records of a chunk, which the caller releases.
func (d *downloader) take(idx int) []*record {
	d.mu.Lock()
	defer d.mu.Unlock()
	recs := d.records[idx]
	delete(d.records, idx)
	return recs
}
