// Package bug makes flame graphs of samples, as records of columns.
package bug

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// An Allocator has the memory of columns.
type Allocator interface {
	Allocate(n int) []int64
	Free(b []int64)
}

// A pooled allocator keeps what is freed.
type pooled struct{ pool sync.Pool }

func (p *pooled) Allocate(n int) []int64 {
	if b, ok := p.pool.Get().(*[]int64); ok && cap(*b) >= n {
		return (*b)[:n]
	}
	return make([]int64, n, max(n, 64))
}

func (p *pooled) Free(b []int64) { p.pool.Put(&b) }

// A column is counted. Its values go back with the last reference.
type column struct {
	refs   atomic.Int64
	mem    Allocator
	values []int64
}

func (c *column) Retain() { c.refs.Add(1) }

func (c *column) Release() {
	if c.refs.Add(-1) == 0 {
		c.mem.Free(c.values)
		c.values = nil
	}
}

// A columnBuilder appends to memory of the allocator.
type columnBuilder struct {
	mem    Allocator
	values []int64
}

func (b *columnBuilder) Len() int { return len(b.values) }

func (b *columnBuilder) Append(v int64) {
	if len(b.values) == cap(b.values) {
		grown := b.mem.Allocate(2*cap(b.values) + 64)
		n := copy(grown, b.values)
		if b.values != nil {
			b.mem.Free(b.values)
		}
		b.values = grown[:n]
	}
	b.values = append(b.values, v)
}

func (b *columnBuilder) newColumn() *column {
	c := &column{mem: b.mem, values: b.values}
	c.refs.Store(1)
	b.values = nil
	return c
}

func (b *columnBuilder) release() {
	if b.values != nil {
		b.mem.Free(b.values)
		b.values = nil
	}
}

// A Record is counted, as its columns are.
type Record struct {
	refs atomic.Int64
	cols []*column
}

func (r *Record) Retain() { r.refs.Add(1) }

func (r *Record) Release() {
	if r.refs.Add(-1) == 0 {
		for _, c := range r.cols {
			c.Release()
		}
	}
}

// A RecordBuilder has a builder for each column. Release gives up what no record
// was made of.
type RecordBuilder struct{ fields []*columnBuilder }

func NewRecordBuilder(mem Allocator, n int) *RecordBuilder {
	b := new(RecordBuilder)
	for range n {
		b.fields = append(b.fields, &columnBuilder{mem: mem, values: mem.Allocate(64)[:0]})
	}
	return b
}

func (b *RecordBuilder) Field(i int) *columnBuilder { return b.fields[i] }

func (b *RecordBuilder) NewRecord() *Record {
	r := new(Record)
	r.refs.Store(1)
	for _, f := range b.fields {
		r.cols = append(r.cols, f.newColumn())
	}
	return r
}

func (b *RecordBuilder) Release() {
	for _, f := range b.fields {
		f.release()
	}
}

// A Writer writes records. Close gives its memory back.
type Writer struct {
	w       io.Writer
	mem     Allocator
	offsets []int64
}

func NewWriter(w io.Writer, mem Allocator) *Writer {
	return &Writer{w: w, mem: mem, offsets: mem.Allocate(64)[:0]}
}

func (w *Writer) Write(r *Record) error {
	at := int64(0)
	for _, c := range r.cols {
		w.offsets = append(w.offsets, at)
		if err := binary.Write(w.w, binary.LittleEndian, c.values); err != nil {
			return err
		}
		at += int64(len(c.values))
	}
	return nil
}

func (w *Writer) Close() error {
	err := binary.Write(w.w, binary.LittleEndian, w.offsets)
	w.mem.Free(w.offsets)
	w.offsets = nil
	return err
}

// A Sample has the locations of a stack, the leaf first.
type Sample struct {
	Locations []int64
	Value     int64
}

type Flamegraph struct {
	Record []byte
	Height int32
}

// Render returns the flame graph of samples and their total.
func Render(ctx context.Context, mem Allocator, samples []Sample) (*Flamegraph, int64, error) {
	record, cumulative, height, err := build(ctx, mem, samples)
	if err != nil {
		return nil, 0, err
	}

	var buf bytes.Buffer
	w := NewWriter(&buf, mem)
	if err = w.Write(record); err != nil {
		return nil, 0, err
	}
	if err := w.Close(); err != nil {
		return nil, 0, err
	}
	return &Flamegraph{Record: buf.Bytes(), Height: height}, cumulative, nil
}

func build(ctx context.Context, mem Allocator, samples []Sample) (*Record, int64, int32, error) {
	rb := NewRecordBuilder(mem, 3)
	fb := rows{
		addresses:  rb.Field(0),
		parents:    rb.Field(1),
		cumulative: rb.Field(2),
	}
	var total int64
	var height int32
	for _, s := range samples {
		if err := ctx.Err(); err != nil {
			return nil, 0, 0, err
		}
		height = max(height, int32(len(s.Locations)))
		parent := -1
		for i := len(s.Locations) - 1; i >= 0; i-- {
			row, err := fb.add(s.Locations[i], parent, s.Value)
			if err != nil {
				return nil, 0, 0, err
			}
			parent = row
		}
		total += s.Value
	}
	return rb.NewRecord(), total, height, nil
}

type rows struct{ addresses, parents, cumulative *columnBuilder }

// add adds to the row of the address below parent, or makes one.
func (fb *rows) add(address int64, parent int, value int64) (int, error) {
	if value < 0 {
		return 0, fmt.Errorf("negative value %d", value)
	}
	for row, a := range fb.addresses.values {
		if a == address && fb.parents.values[row] == int64(parent) {
			fb.cumulative.values[row] += value
			return row, nil
		}
	}
	fb.addresses.Append(address)
	fb.parents.Append(int64(parent))
	fb.cumulative.Append(value)
	return fb.addresses.Len() - 1, nil
}
