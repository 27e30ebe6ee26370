// Package bug merges blocks of rows that are in order.
package bug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

type value struct {
	column int
	bytes  []byte
}

type row []value

// A rowPool has the rows of one compaction.
type rowPool struct{ pool sync.Pool }

func newRowPool(size int) *rowPool {
	return &rowPool{sync.Pool{New: func() any { return make(row, 0, size) }}}
}

func (p *rowPool) Get() row { return p.pool.Get().(row) }

func (p *rowPool) Put(r row) {
	clear(r)
	p.pool.Put(r[:0])
}

// A reader appends to the rows that it is given.
type reader interface {
	ReadRows(rows []row) (int, error)
	io.Closer
}

// An iterator gives rows from the pool. The last is nil.
type iterator interface {
	Next(ctx context.Context) (id []byte, r row, err error)
	Close()
}

type rawIterator struct {
	name     string
	r        reader
	idColumn int
	pool     *rowPool
}

func (i *rawIterator) id(r row) []byte {
	for _, v := range r {
		if v.column == i.idColumn {
			return bytes.Clone(v.bytes)
		}
	}
	return nil
}

func (i *rawIterator) Next(context.Context) ([]byte, row, error) {
	rows := []row{i.pool.Get()}
	n, err := i.r.ReadRows(rows)
	if n > 0 {
		return i.id(rows[0]), rows[0], nil
	}
	if errors.Is(err, io.EOF) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading block %s: %w", i.name, err)
	}
	return nil, nil, nil
}

func (i *rawIterator) Close() { i.r.Close() }

// A bookmark has the next row of an iterator.
type bookmark struct {
	iter iterator
	id   []byte
	row  row
	err  error
}

func (b *bookmark) current(ctx context.Context) ([]byte, row, error) {
	if b.row == nil && b.err == nil {
		b.id, b.row, b.err = b.iter.Next(ctx)
	}
	return b.id, b.row, b.err
}

func (b *bookmark) clear() { b.id, b.row = nil, nil }

type merger struct {
	bookmarks []*bookmark
	pool      *rowPool
}

func newMerger(readers map[string]reader, idColumn, size int) *merger {
	m := &merger{pool: newRowPool(size)}
	for name, r := range readers {
		m.bookmarks = append(m.bookmarks, &bookmark{iter: &rawIterator{name, r, idColumn, m.pool}})
	}
	return m
}

func (m *merger) Close() {
	for _, b := range m.bookmarks {
		if b.row != nil {
			m.pool.Put(b.row)
			b.clear()
		}
		b.iter.Close()
	}
}

// next returns the row with the lowest identifier. Of rows that share it the first
// is kept.
func (m *merger) next(ctx context.Context) ([]byte, row, error) {
	var lowest []byte
	var chosen row
	for _, b := range m.bookmarks {
		id, r, err := b.current(ctx)
		if err != nil {
			return nil, nil, err
		}
		if r != nil && (lowest == nil || bytes.Compare(id, lowest) < 0) {
			lowest = id
		}
	}
	if lowest == nil {
		return nil, nil, io.EOF
	}
	for _, b := range m.bookmarks {
		if b.row == nil || !bytes.Equal(b.id, lowest) {
			continue
		}
		if chosen == nil {
			chosen = b.row
		} else {
			m.pool.Put(b.row)
		}
		b.clear()
	}
	return lowest, chosen, nil
}

type output interface {
	// Add copies the row.
	Add(id []byte, r row) error
}

func compact(ctx context.Context, m *merger, out output) error {
	defer m.Close()
	for {
		id, r, err := m.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = out.Add(id, r)
		m.pool.Put(r)
		if err != nil {
			return fmt.Errorf("adding %x: %w", id, err)
		}
	}
}
