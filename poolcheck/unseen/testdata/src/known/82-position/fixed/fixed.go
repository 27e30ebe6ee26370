// Package fixed scans tables: record batches go through steps, each of which takes
// one and makes another.
package fixed

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// An allocator has the memory of arrays.
type allocator interface {
	Allocate(n int) []byte
	Free(p []byte)
}

type pooled struct{ pool sync.Pool }

func (a *pooled) Allocate(n int) []byte {
	if p, ok := a.pool.Get().(*[]byte); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]byte, n)
}

func (a *pooled) Free(p []byte) { a.pool.Put(&p) }

// An array is immutable, and has a count of references.
type array struct {
	refs  atomic.Int64
	mem   allocator
	buf   []byte
	width int
}

func (a *array) Len() int { return len(a.buf) / a.width }
func (a *array) Retain()  { a.refs.Add(1) }

func (a *array) Release() {
	if a.refs.Add(-1) == 0 {
		a.mem.Free(a.buf)
		a.buf = nil
	}
}

// A builder gathers what NewArray makes an array of.
type builder struct {
	mem   allocator
	buf   []byte
	width int
}

func newBuilder(mem allocator, width int) *builder {
	return &builder{mem: mem, buf: mem.Allocate(64 * width)[:0], width: width}
}

func (b *builder) Append(v []byte) {
	if len(b.buf)+b.width > cap(b.buf) {
		grown := b.mem.Allocate(2*cap(b.buf) + b.width)[:len(b.buf)]
		copy(grown, b.buf)
		b.mem.Free(b.buf)
		b.buf = grown
	}
	b.buf = append(b.buf, v[:b.width]...)
}

func (b *builder) AppendInt(v int64) {
	var p [8]byte
	for i := range p {
		p[i] = byte(v >> (8 * i))
	}
	b.Append(p[:])
}

// NewArray returns an array with one reference, and the builder is empty.
func (b *builder) NewArray() *array {
	a := &array{mem: b.mem, buf: b.buf, width: b.width}
	a.refs.Store(1)
	b.buf = nil
	return a
}

func (b *builder) Release() {
	if b.buf != nil {
		b.mem.Free(b.buf)
		b.buf = nil
	}
}

type field struct {
	name  string
	width int
}

type schema struct{ fields []field }

func (s *schema) AddField(at int, f field) (*schema, error) {
	if slices.ContainsFunc(s.fields, func(g field) bool { return g.name == f.name }) {
		return nil, fmt.Errorf("field %s is there already", f.name)
	}
	return &schema{fields: slices.Insert(slices.Clone(s.fields), at, f)}, nil
}

type recordBatch interface {
	Retain()
	Release()
	Schema() *schema
	NumRows() int64
	Columns() []*array
}

type simpleRecord struct {
	refs atomic.Int64
	sc   *schema
	cols []*array
	rows int64
}

// newRecordBatch makes a record, which has references to the columns of its own.
func newRecordBatch(sc *schema, cols []*array, rows int64) recordBatch {
	r := &simpleRecord{sc: sc, cols: cols, rows: rows}
	r.refs.Store(1)
	for _, c := range cols {
		c.Retain()
	}
	return r
}

func (r *simpleRecord) Retain()           { r.refs.Add(1) }
func (r *simpleRecord) Schema() *schema   { return r.sc }
func (r *simpleRecord) NumRows() int64    { return r.rows }
func (r *simpleRecord) Columns() []*array { return r.cols }

func (r *simpleRecord) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	for _, c := range r.cols {
		c.Release()
	}
	r.cols = nil
}

// A step takes a record, releases it, and returns another.
type step func(recordBatch) (recordBatch, error)

var deleteSchema = &schema{fields: []field{{name: "file_path", width: 32}, {name: "pos", width: 8}}}

// withPosition adds the file of each row, and where it is in it, because the
// steps behind it drop rows.
func withPosition(mem allocator, path string) (step, error) {
	if len(path) > 32 {
		return nil, errors.New("path is too long")
	}
	var key [32]byte
	copy(key[:], path)
	next := int64(0)

	return func(in recordBatch) (out recordBatch, err error) {
		defer in.Release()

		sc := in.Schema()
		at := len(sc.fields)
		sc, err = sc.AddField(at, deleteSchema.fields[0])
		if err != nil {
			return nil, err
		}
		sc, err = sc.AddField(at+1, deleteSchema.fields[1])
		if err != nil {
			return nil, err
		}

		paths := newBuilder(mem, 32)
		defer paths.Release()
		positions := newBuilder(mem, 8)
		defer positions.Release()

		start := next
		next += in.NumRows()
		for i := start; i < next; i++ {
			paths.Append(key[:])
			positions.AppendInt(i)
		}

		pathArray := paths.NewArray()
		defer pathArray.Release()
		positionArray := positions.NewArray()
		defer positionArray.Release()

		columns := append(slices.Clone(in.Columns()), pathArray, positionArray)
		out = newRecordBatch(sc, columns, in.NumRows())

		return out, nil
	}, nil
}

// withColumns keeps the columns at some places.
func withColumns(places ...int) step {
	return func(in recordBatch) (recordBatch, error) {
		defer in.Release()
		sc := new(schema)
		var cols []*array
		for _, p := range places {
			if p >= len(in.Columns()) {
				return nil, fmt.Errorf("no column %d", p)
			}
			sc.fields = append(sc.fields, in.Schema().fields[p])
			cols = append(cols, in.Columns()[p])
		}
		return newRecordBatch(sc, cols, in.NumRows()), nil
	}
}

// scan sends records through the steps and yields what comes out. It takes the
// records, and yield takes what it gets.
func scan(records []recordBatch, steps []step, yield func(recordBatch) bool) error {
	for i, rec := range records {
		var err error
		for _, s := range steps {
			if rec, err = s(rec); err != nil {
				releaseAll(records[i+1:])
				return err
			}
		}
		if !yield(rec) {
			releaseAll(records[i+1:])
			return nil
		}
	}
	return nil
}

func releaseAll(records []recordBatch) {
	for _, rec := range records {
		rec.Release()
	}
}
