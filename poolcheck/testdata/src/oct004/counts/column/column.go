// Package column has columns that count the references to them. What its functions do to references
// is known to packages that import it.
package column

import "sync/atomic"

// A Column is counted. Its memory is free again when the last reference is released.
type Column struct {
	refs   atomic.Int64
	values []int64
	free   func([]int64)
}

// New returns a column, which the caller releases.
func New(values []int64, free func([]int64)) *Column {
	c := &Column{values: values, free: free}
	c.refs.Store(1)
	return c
}

func (c *Column) Retain() { c.refs.Add(1) }

func (c *Column) Release() {
	if c == nil {
		return
	}
	if c.refs.Add(-1) == 0 {
		c.free(c.values)
	}
}

func (c *Column) Len() int { return len(c.values) }

// A Table retains its columns.
type Table struct {
	refs    atomic.Int64
	columns []*Column
}

// NewTable returns a table with references of its own to the columns.
func NewTable(columns []*Column) *Table {
	t := &Table{columns: columns}
	t.refs.Store(1)
	for _, c := range columns {
		c.Retain()
	}
	return t
}

// Column returns a column that the table goes on owning.
func (t *Table) Column(i int) *Column { return t.columns[i] }

// Columns returns the columns, which the table goes on owning.
func (t *Table) Columns() []*Column { return t.columns }

// Adopt returns a table that the columns belong to from now on.
func Adopt(columns []*Column) *Table {
	t := &Table{}
	t.refs.Store(1)
	t.columns = append(t.columns, columns...)
	return t
}

// Copy returns a new column, or an error and none.
func Copy(c *Column, n int) (*Column, error) {
	if n > len(c.values) {
		return nil, errShort
	}
	return New(append([]int64(nil), c.values[:n]...), c.free), nil
}

type shortError string

func (e shortError) Error() string { return string(e) }

var errShort error = shortError("too few values")
