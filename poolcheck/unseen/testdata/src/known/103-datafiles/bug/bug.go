// Package bug writes batches of records to data files, in the schema of the table.
package bug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var columnPool = sync.Pool{New: func() any { return new(column) }}

// A column has the values of one field. It is counted, and goes back to its pool
// with its last reference.
type column struct {
	refs   atomic.Int64
	name   string
	values []int64
}

func newColumn(name string, n int) *column {
	c := columnPool.Get().(*column)
	c.refs.Store(1)
	c.name = name
	if cap(c.values) < n {
		c.values = make([]int64, n)
	}
	c.values = c.values[:n]
	return c
}

func (c *column) retain() { c.refs.Add(1) }

func (c *column) release() {
	if c.refs.Add(-1) == 0 {
		columnPool.Put(c)
	}
}

// A record is a batch of rows. The one who makes a record has a reference to it.
type record interface {
	Retain()
	Release()
	NumRows() int
	Column(i int) *column
	NumCols() int
}

type simpleRecord struct {
	refs atomic.Int64
	cols []*column
	rows int
}

// newRecord makes a record with references of its own to the columns.
func newRecord(cols []*column, rows int) record {
	r := &simpleRecord{cols: cols, rows: rows}
	r.refs.Store(1)
	for _, c := range cols {
		c.retain()
	}
	return r
}

func (r *simpleRecord) NumRows() int         { return r.rows }
func (r *simpleRecord) NumCols() int         { return len(r.cols) }
func (r *simpleRecord) Column(i int) *column { return r.cols[i] }
func (r *simpleRecord) Retain()              { r.refs.Add(1) }

func (r *simpleRecord) Release() {
	if r.refs.Add(-1) == 0 {
		for _, c := range r.cols {
			c.release()
		}
		r.cols = nil
	}
}

type field struct {
	name  string
	scale int64
}

type schema []field

// convert returns a record with the fields of the schema, converted if
// they have another scale. It belongs to the caller.
func convert(requested, provided schema, batch record) (record, error) {
	cols := make([]*column, 0, len(requested))
	defer func() {
		for _, c := range cols {
			c.release()
		}
	}()
	for i, f := range requested {
		if i >= batch.NumCols() || i >= len(provided) {
			return nil, fmt.Errorf("no field %s", f.name)
		}
		c := batch.Column(i)
		if provided[i].scale == f.scale {
			c.retain()
			cols = append(cols, c)
			continue
		}
		cast := newColumn(f.name, len(c.values))
		cols = append(cols, cast)
		for j, v := range c.values {
			cast.values[j] = v * f.scale / provided[i].scale
		}
	}
	return newRecord(cols, batch.NumRows()), nil
}

type dataFile struct {
	path string
	rows int
}

type fileFormat interface {
	WriteDataFile(ctx context.Context, path string, batches []record) (*dataFile, error)
}

// text is a format of one line a row.
type text struct {
	create func(path string) (io.WriteCloser, error)
}

func (t text) WriteDataFile(ctx context.Context, path string, batches []record) (*dataFile, error) {
	w, err := t.create(path)
	if err != nil {
		return nil, err
	}
	file := &dataFile{path: path}
	for _, b := range batches {
		for row := range b.NumRows() {
			for i := range b.NumCols() {
				fmt.Fprint(w, b.Column(i).values[row], "\t")
			}
			fmt.Fprintln(w)
		}
		file.rows += b.NumRows()
	}
	return file, errors.Join(ctx.Err(), w.Close())
}

// A fileTask is what one file is to have. Its batches belong to the task.
type fileTask struct {
	id      int
	schema  schema
	batches []record
}

type writer struct {
	root       string
	fileSchema schema
	format     fileFormat
}

func (w *writer) writeOne(ctx context.Context, task fileTask) (*dataFile, error) {
	defer func() {
		for _, b := range task.batches {
			b.Release()
		}
	}()

	batches := make([]record, len(task.batches))
	for i, b := range task.batches {
		rec, err := convert(w.fileSchema, task.schema, b)
		if err != nil {
			return nil, err
		}
		batches[i] = rec
	}
	if w.root == "" {
		return nil, errors.New("no location")
	}
	return w.format.WriteDataFile(ctx, fmt.Sprintf("%s/%05d.data", w.root, task.id), batches)
}

// WriteFiles writes the files of all tasks, a few at once, and returns what was
// written.
func (w *writer) WriteFiles(ctx context.Context, tasks <-chan fileTask, workers int) ([]*dataFile, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		files []*dataFile
		errs  []error
	)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for task := range tasks {
				file, err := w.writeOne(ctx, task)
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
				} else {
					files = append(files, file)
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return files, errors.Join(errs...)
}
