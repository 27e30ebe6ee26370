// Package bug reads the columns of a file into a table, many at a time.
package bug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

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

type fileMeta struct {
	fields []fieldMeta
	groups []int64 // rows of each row group
}

type fieldMeta struct {
	name   string
	column int
	pages  []int64 // where the page of each row group is
	size   int
}

// A columnReader reads the pages of a field. It has a count of references, and
// the last Release frees the page that it is at.
type columnReader struct {
	refs   atomic.Int64
	field  *fieldMeta
	mem    allocator
	r      io.ReaderAt
	groups []int
	page   []byte
}

// newColumnReader reads the first page, to have what it says of the field.
func newColumnReader(ctx context.Context, r io.ReaderAt, f *fieldMeta, groups []int, mem allocator) (*columnReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return nil, errors.New("no row groups")
	}
	cr := &columnReader{field: f, mem: mem, r: r, groups: groups, page: mem.Allocate(f.size)}
	cr.refs.Store(1)
	if err := cr.load(groups[0]); err != nil {
		cr.Release()
		return nil, err
	}
	return cr, nil
}

func (cr *columnReader) load(group int) error {
	if group >= len(cr.field.pages) {
		return fmt.Errorf("%s has no row group %d", cr.field.name, group)
	}
	_, err := cr.r.ReadAt(cr.page, cr.field.pages[group])
	return err
}

func (cr *columnReader) Field() *fieldMeta { return cr.field }
func (cr *columnReader) Retain()           { cr.refs.Add(1) }

func (cr *columnReader) Release() {
	if cr.refs.Add(-1) == 0 {
		cr.mem.Free(cr.page)
		cr.page = nil
	}
}

// readAll copies the column out of its pages.
func (cr *columnReader) readAll() ([]byte, error) {
	var out []byte
	for _, g := range cr.groups {
		if err := cr.load(g); err != nil {
			return nil, err
		}
		out = append(out, cr.page...)
	}
	return out, nil
}

// A group runs functions and returns the first error of them.
type group struct {
	wg     sync.WaitGroup
	once   sync.Once
	err    error
	cancel context.CancelFunc
}

func newGroup(ctx context.Context) (*group, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	return &group{cancel: cancel}, ctx
}

func (g *group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.once.Do(func() {
				g.err = err
				g.cancel()
			})
		}
	}()
}

func (g *group) Wait() error {
	g.wg.Wait()
	g.cancel()
	return g.err
}

type fileReader struct {
	r        io.ReaderAt
	meta     *fileMeta
	mem      allocator
	parallel bool
}

func (fr *fileReader) fieldIndices(columns []int) ([]int, error) {
	var indices []int
	for _, c := range columns {
		found := false
		for i := range fr.meta.fields {
			if fr.meta.fields[i].column == c {
				indices = append(indices, i)
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("no column %d", c)
		}
	}
	return indices, nil
}

// getFieldReader returns a reader that the caller releases.
func (fr *fileReader) getFieldReader(ctx context.Context, i int, groups []int) (*columnReader, error) {
	return newColumnReader(ctx, fr.r, &fr.meta.fields[i], groups, fr.mem)
}

// getFieldReaders returns the readers of some columns and their names. They are
// opened at the same time, because each of them reads.
func (fr *fileReader) getFieldReaders(ctx context.Context, columns, groups []int) ([]*columnReader, []string, error) {
	indices, err := fr.fieldIndices(columns)
	if err != nil {
		return nil, nil, err
	}

	out := make([]*columnReader, len(indices))
	names := make([]string, len(indices))

	g, gctx := newGroup(ctx)
	for i, index := range indices {
		g.Go(func() error {
			rdr, err := fr.getFieldReader(gctx, index, groups)
			if err != nil {
				return err
			}
			names[i] = rdr.Field().name
			out[i] = rdr
			return nil
		})
	}
	if err = g.Wait(); err != nil {
		return nil, nil, err
	}

	return out, names, nil
}

type table struct {
	names   []string
	columns [][]byte
}

type result struct {
	index int
	data  []byte
	err   error
}

// readRowGroups reads columns of row groups into a table.
func (fr *fileReader) readRowGroups(ctx context.Context, columns, groups []int) (*table, error) {
	readers, names, err := fr.getFieldReaders(ctx, columns, groups)
	if err != nil {
		return nil, err
	}
	for _, rdr := range readers {
		defer rdr.Release()
	}

	workers := 1
	if fr.parallel {
		workers = len(readers)
	}
	var wg sync.WaitGroup
	jobs := make(chan int, len(readers))
	results := make(chan result, len(readers))
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range jobs {
				data, err := readers[i].readAll()
				results <- result{i, data, err}
			}
		}()
	}
	for i := range readers {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	close(results)

	t := &table{names: names, columns: make([][]byte, len(readers))}
	for res := range results {
		if res.err != nil {
			return nil, res.err
		}
		t.columns[res.index] = res.data
	}
	return t, nil
}
