// Package bug reads the result of a query as record batches, one after the
// other.
package bug

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var errClosed = errors.New("connection is closed")

// An allocator has the memory of columns.
type allocator interface {
	Allocate(n int) []int64
	Free(p []int64)
}

type pooled struct{ pool sync.Pool }

func (a *pooled) Allocate(n int) []int64 {
	if p, ok := a.pool.Get().(*[]int64); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]int64, n)
}

func (a *pooled) Free(p []int64) { a.pool.Put(&p) }

// A record has a count of references. The last Release frees the columns.
type record struct {
	refs atomic.Int64
	mem  allocator
	rows int
	cols [][]int64
}

func (r *record) NumRows() int    { return r.rows }
func (r *record) Cols() [][]int64 { return r.cols }
func (r *record) Retain()         { r.refs.Add(1) }

func (r *record) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	for _, c := range r.cols {
		r.mem.Free(c)
	}
	r.cols = nil
}

type schema struct{ names []string }

// A result is what the engine has of a query that ran.
type result struct {
	chunks [][][]int64
	next   int
	rows   int
}

func (r *result) destroy() { r.chunks = nil }

// fetch copies the next chunk of a result into a record.
func fetch(res *result, sc *schema, mem allocator) (*record, error) {
	if res.next == len(res.chunks) {
		return nil, errors.New("fetching behind the end")
	}
	chunk := res.chunks[res.next]
	if len(chunk) != len(sc.names) {
		return nil, fmt.Errorf("chunk %d has %d columns", res.next, len(chunk))
	}
	res.next++
	rec := &record{mem: mem}
	rec.refs.Store(1)
	for _, c := range chunk {
		col := mem.Allocate(len(c))
		copy(col, c)
		rec.cols = append(rec.cols, col)
		rec.rows = len(c)
	}
	return rec, nil
}

// A recordReader is valid until its last Release, and a record of it until the
// following Next.
type recordReader interface {
	Retain()
	Release()
	Schema() *schema
	Next() bool
	Record() *record
	Err() error
}

type streamReader struct {
	ctx    context.Context
	res    *result
	schema *schema
	mem    allocator

	mu      sync.Mutex
	refs    int
	read    int
	current *record
	err     error
}

func (r *streamReader) Retain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refs++
}

func (r *streamReader) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refs <= 0 {
		return
	}
	r.refs--
	if r.refs != 0 {
		return
	}
	if r.res != nil {
		r.res.destroy()
		r.res = nil
	}
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
}

func (r *streamReader) Schema() *schema { return r.schema }

func (r *streamReader) Next() bool {
	r.mu.Lock()
	defer r.mu.Unlock()

	if r.res == nil || r.read >= r.res.rows || r.err != nil {
		return false
	}

	select {
	case <-r.ctx.Done():
		r.err = r.ctx.Err()
		return false
	default:
		rec, err := fetch(r.res, r.schema, r.mem)
		if err != nil {
			r.err = err
			r.current = nil
			return false
		}
		r.current = rec
		r.read += rec.NumRows()
		return true
	}
}

func (r *streamReader) Record() *record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

func (r *streamReader) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

type conn struct {
	closed bool
	mem    allocator
	run    func(query string, args []any) (*result, *schema, error)
}

// Query runs a query. The caller releases the reader.
func (c *conn) Query(ctx context.Context, query string, args ...any) (recordReader, error) {
	if c.closed {
		return nil, errClosed
	}
	res, sc, err := c.run(query, args)
	if err != nil {
		return nil, err
	}
	if len(sc.names) == 0 {
		res.destroy()
		return nil, errors.New("result without columns")
	}
	return &streamReader{refs: 1, ctx: ctx, res: res, schema: sc, mem: c.mem}, nil
}

// Sum adds up the first column of a query.
func (c *conn) Sum(ctx context.Context, query string) (int64, error) {
	rdr, err := c.Query(ctx, query)
	if err != nil {
		return 0, err
	}
	defer rdr.Release()
	var sum int64
	for rdr.Next() {
		for _, v := range rdr.Record().Cols()[0] {
			sum += v
		}
	}
	return sum, rdr.Err()
}
