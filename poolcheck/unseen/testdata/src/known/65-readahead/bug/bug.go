// Package bug reads the pages of a column ahead of who uses them.
package bug

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	smallest = 12 // log2 of the size of the smallest buffers
	classes  = 12
)

// A buffer is freed with its last reference.
type buffer struct {
	data []byte
	refs atomic.Int32
	pool *bufferPool
}

func (b *buffer) ref() { b.refs.Add(1) }

func (b *buffer) unref() {
	if b.refs.Add(-1) == 0 && b.pool != nil {
		b.pool.put(b)
	}
}

// A bufferPool has a pool for each power of two.
type bufferPool struct{ classes [classes]sync.Pool }

func (p *bufferPool) get(size int) *buffer {
	i := max(bits.Len(uint(max(size, 1)-1))-smallest, 0)
	if i >= classes {
		b := &buffer{data: make([]byte, size)}
		b.refs.Store(1)
		return b
	}
	b, _ := p.classes[i].Get().(*buffer)
	if b == nil {
		b = &buffer{data: make([]byte, size, 1<<(smallest+i)), pool: p}
	}
	b.data = b.data[:size]
	b.refs.Store(1)
	return b
}

func (p *bufferPool) put(b *buffer) {
	p.classes[bits.Len(uint(cap(b.data)))-1-smallest].Put(b)
}

var buffers bufferPool

type page interface {
	Rows() int64
	Data() []byte
}

type plainPage struct {
	rows int64
	data []byte
}

func (p *plainPage) Rows() int64  { return p.rows }
func (p *plainPage) Data() []byte { return p.data }

// A bufferedPage lies in a buffer.
type bufferedPage struct {
	page
	values *buffer
}

// newBufferedPage takes the reference to values.
func newBufferedPage(p page, values *buffer) *bufferedPage {
	return &bufferedPage{page: p, values: values}
}

func (p *bufferedPage) Retain()  { p.values.ref() }
func (p *bufferedPage) Release() { p.values.unref() }

// release gives up a page, if its memory is counted.
func release(p page) {
	if r, ok := p.(interface{ Release() }); ok {
		r.Release()
	}
}

// pages are read one after the other. Who reads a page releases it.
type pages interface {
	ReadPage() (page, error)
	SeekToRow(row int64) error
	Close() error
}

type location struct {
	offset   int64
	size     int
	firstRow int64
	rows     int64
}

type filePages struct {
	r      io.ReaderAt
	index  []location
	next   int
	closer io.Closer
}

var errRow = errors.New("no such row")

func (f *filePages) ReadPage() (page, error) {
	if f.next == len(f.index) {
		return nil, io.EOF
	}
	at := f.index[f.next]
	values := buffers.get(at.size)
	if _, err := f.r.ReadAt(values.data, at.offset); err != nil {
		values.unref()
		return nil, fmt.Errorf("page %d: %w", f.next, err)
	}
	f.next++
	return newBufferedPage(&plainPage{at.rows, values.data}, values), nil
}

func (f *filePages) SeekToRow(row int64) error {
	for i, at := range f.index {
		if row < at.firstRow+at.rows {
			f.next = i
			return nil
		}
	}
	return errRow
}

func (f *filePages) Close() error { return f.closer.Close() }

// asyncPages have a goroutine that reads.
type asyncPages struct {
	read    <-chan asyncPage
	seek    chan<- int64
	done    chan<- struct{}
	version int64
}

// An asyncPage is of the version that says how many seeks came before it.
type asyncPage struct {
	page    page
	err     error
	version int64
}

func newAsyncPages(base pages) pages {
	read := make(chan asyncPage)
	seek := make(chan int64, 1)
	done := make(chan struct{})
	go readPages(base, read, seek, done)
	return &asyncPages{read: read, seek: seek, done: done}
}

func (a *asyncPages) ReadPage() (page, error) {
	for {
		p, ok := <-a.read
		if !ok {
			return nil, io.EOF
		}
		if p.version == a.version {
			return p.page, p.err
		}
	}
}

func (a *asyncPages) SeekToRow(row int64) error {
	if a.done == nil {
		return io.ErrClosedPipe
	}
	a.seek <- row
	a.version++
	return nil
}

func (a *asyncPages) Close() (err error) {
	if a.done != nil {
		close(a.done)
		a.done = nil
	}
	for p := range a.read {
		err = p.err // the last is that of closing base
	}
	return err
}

func readPages(base pages, read chan<- asyncPage, seek <-chan int64, done <-chan struct{}) {
	defer func() {
		read <- asyncPage{err: base.Close(), version: -1}
		close(read)
	}()

	version := int64(0)
	for {
		p, err := base.ReadPage()
		for {
			select {
			case <-done:
				return
			case read <- asyncPage{page: p, err: err, version: version}:
			case row := <-seek:
				version++
				err = base.SeekToRow(row)
			}
			if err == nil {
				break
			}
		}
	}
}

// countFrom counts the bytes from a row on.
func countFrom(base pages, row int64) (int, error) {
	a := newAsyncPages(base)
	defer a.Close()
	if err := a.SeekToRow(row); err != nil {
		return 0, err
	}
	n := 0
	for {
		p, err := a.ReadPage()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += len(p.Data())
		release(p)
	}
}
