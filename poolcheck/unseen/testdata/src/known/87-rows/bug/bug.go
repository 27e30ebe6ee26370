// Package bug is a driver for database/sql: record batches come from the server
// while the rows of those before are read.
package bug

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

const recordsAhead = 1

// An allocator has the memory of columns.
type allocator interface {
	Allocate(n int) []int64
	Free(p []int64)
}

type recordBatch interface {
	Retain()
	Release()
	NumRows() int
	Value(col, row int) int64
}

type record struct {
	refs atomic.Int64
	mem  allocator
	rows int
	cols [][]int64
}

func newRecord(mem allocator, cols, rows int) *record {
	r := &record{mem: mem, rows: rows}
	r.refs.Store(1)
	for range cols {
		r.cols = append(r.cols, mem.Allocate(rows))
	}
	return r
}

func (r *record) Retain()                  { r.refs.Add(1) }
func (r *record) NumRows() int             { return r.rows }
func (r *record) Value(col, row int) int64 { return r.cols[col][row] }

func (r *record) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	for _, c := range r.cols {
		r.mem.Free(c)
	}
	r.cols = nil
}

// A source is a stream of values from the server, rows by rows.
type source interface {
	Columns() []string
	ReadRows(rows func(n int) ([][]int64, error)) error
	Close() error
}

// A reader makes records of a source. A record is valid until the following Next,
// or as long as it is retained.
type reader struct {
	src source
	mem allocator
	cur *record
	err error
}

func (r *reader) Next() bool {
	if r.cur != nil {
		r.cur.Release()
		r.cur = nil
	}
	if r.err != nil {
		return false
	}
	r.err = r.src.ReadRows(func(n int) ([][]int64, error) {
		r.cur = newRecord(r.mem, len(r.src.Columns()), n)
		return r.cur.cols, nil
	})
	return r.err == nil && r.cur != nil
}

func (r *reader) Record() recordBatch { return r.cur }
func (r *reader) Err() error          { return r.err }

func (r *reader) Release() {
	if r.cur != nil {
		r.cur.Release()
		r.cur = nil
	}
	r.src.Close()
}

type rows struct {
	columns []string
	records chan recordBatch // from the goroutine that streams
	current recordBatch
	row     int
	ready   chan struct{}
	cancel  context.CancelFunc

	mu  sync.Mutex
	err error
}

func newRows() *rows {
	return &rows{records: make(chan recordBatch, recordsAhead), ready: make(chan struct{})}
}

func (r *rows) setStreamError(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

func (r *rows) streamError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *rows) Columns() []string { return r.columns }

func (r *rows) releaseRecord() {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
}

// Close stops the stream.
func (r *rows) Close() error {
	r.cancel()
	r.row = 0
	r.releaseRecord()
	return nil
}

func (r *rows) Next(dest []driver.Value) error {
	if r.current == nil || r.row >= r.current.NumRows() {
		if err := r.streamError(); err != nil {
			return err
		}

		r.releaseRecord()

		var ok bool
		if r.current, ok = <-r.records; !ok {
			if err := r.streamError(); err != nil {
				return err
			}
			return io.EOF
		}
		r.row = 0
	}

	for i := range r.columns {
		dest[i] = r.current.Value(i, r.row)
	}
	r.row++
	return nil
}

type client interface {
	Execute(ctx context.Context, query string) (tickets []string, err error)
	Get(ctx context.Context, ticket string) (source, error)
}

type connection struct {
	client client
	mem    allocator
}

// QueryContext starts a goroutine that streams the records, and waits until the
// columns are known.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		return nil, driver.ErrSkip
	}
	tickets, err := c.client.Execute(ctx, query)
	if err != nil {
		return nil, err
	}

	r := newRows()
	ctx, r.cancel = context.WithCancel(ctx)
	go r.stream(ctx, c, tickets)
	<-r.ready

	return r, nil
}

func (r *rows) stream(ctx context.Context, c *connection, tickets []string) {
	defer close(r.records)

	var once sync.Once
	known := func() { once.Do(func() { close(r.ready) }) }
	defer known()

	for _, ticket := range tickets {
		if err := ctx.Err(); err != nil {
			r.setStreamError(fmt.Errorf("streaming: %w", err))
			return
		}

		func() {
			src, err := c.client.Get(ctx, ticket)
			if err != nil {
				r.setStreamError(fmt.Errorf("getting %s: %w", ticket, err))
				return
			}
			rdr := &reader{src: src, mem: c.mem}
			defer rdr.Release()

			if r.columns == nil {
				r.columns = src.Columns()
			}

			for rdr.Next() {
				if err := ctx.Err(); err != nil {
					r.setStreamError(fmt.Errorf("streaming: %w", err))
					return
				}

				rec := rdr.Record()
				rec.Retain()

				if rec.NumRows() < 1 {
					rec.Release()
					continue
				}

				known()
				r.records <- rec
			}

			if err := rdr.Err(); err != nil && !errors.Is(err, io.EOF) {
				r.setStreamError(err)
			}
		}()
	}
}
