// Package fixed runs queries whose tables come in counted buffers of columns.
package fixed

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var columnPool = sync.Pool{New: func() any { return make([]byte, 0, 8<<10) }}

// A columnReader is a part of a table.
type columnReader interface {
	Len() int
	Column(i int) []byte
	Retain()
	Release()
}

// A columnBuffer has columns of pooled bytes, which go back with the last reference.
type columnBuffer struct {
	refs    atomic.Int32
	columns [][]byte
}

func newColumnBuffer(n int) *columnBuffer {
	b := &columnBuffer{columns: make([][]byte, n)}
	for i := range b.columns {
		b.columns[i] = columnPool.Get().([]byte)
	}
	b.refs.Store(1)
	return b
}

func (b *columnBuffer) appendTo(i int, value []byte) {
	b.columns[i] = append(b.columns[i], value...)
}

func (b *columnBuffer) Len() int            { return len(b.columns) }
func (b *columnBuffer) Column(i int) []byte { return b.columns[i] }
func (b *columnBuffer) Retain()             { b.refs.Add(1) }

func (b *columnBuffer) Release() {
	if b.refs.Add(-1) > 0 {
		return
	}
	for _, c := range b.columns {
		columnPool.Put(c[:0])
	}
	b.columns = nil
}

// A table calls f with its parts. It releases each when f returns.
type table interface {
	Do(f func(columnReader) error) error
}

// A buffered table may be given to several transformations, each with references
// of its own.
type bufferedTable struct{ parts []columnReader }

func newBufferedTable(rows [][][]byte) *bufferedTable {
	t := new(bufferedTable)
	for _, row := range rows {
		b := newColumnBuffer(len(row))
		for i, value := range row {
			b.appendTo(i, value)
		}
		t.parts = append(t.parts, b)
	}
	return t
}

func (t *bufferedTable) copy() *bufferedTable {
	for _, p := range t.parts {
		p.Retain()
	}
	return &bufferedTable{parts: append([]columnReader(nil), t.parts...)}
}

func (t *bufferedTable) Do(f func(columnReader) error) error {
	for len(t.parts) > 0 {
		part := t.parts[0]
		t.parts = t.parts[1:]
		err := f(part)
		part.Release()
		if err != nil {
			for _, rest := range t.parts {
				rest.Release()
			}
			t.parts = nil
			return err
		}
	}
	return nil
}

type tables interface {
	Do(f func(table) error) error
}

type result interface{ Tables() tables }

type results interface {
	More() bool
	Next() result
	// Err is complete after Release, which may be called more than once.
	Err() error
	Release()
}

type errorEncoder interface {
	EncodeError(w io.Writer, err error) error
}

type plainErrors struct{}

func (plainErrors) EncodeError(w io.Writer, err error) error {
	_, werr := fmt.Fprintln(w, "error:", err)
	return werr
}

// A discardEncoder runs a query for its effects and writes nothing.
type discardEncoder struct{}

func (e *discardEncoder) Encode(w io.Writer, rs results) (int64, error) {
	defer rs.Release()
	for rs.More() {
		if err := rs.Next().Tables().Do(func(t table) error {
			return t.Do(func(columnReader) error { return nil })
		}); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// An errorsEncoder writes nothing but the errors of a query.
type errorsEncoder struct{ errors errorEncoder }

func newErrorsEncoder() *errorsEncoder { return &errorsEncoder{errors: plainErrors{}} }

func (e *errorsEncoder) Encode(w io.Writer, rs results) (int64, error) {
	defer rs.Release()
	for rs.More() {
		if err := rs.Next().Tables().Do(func(t table) error {
			return t.Do(func(columnReader) error { return nil })
		}); err != nil {
			if encErr := e.errors.EncodeError(w, err); encErr != nil {
				return 0, encErr
			}
		}
	}
	rs.Release()
	if err := rs.Err(); err != nil {
		return 0, e.errors.EncodeError(w, err)
	}
	return 0, nil
}
