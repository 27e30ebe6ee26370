// Package bug answers queries for label values from an index that is read into
// a pooled buffer.
package bug

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sort"
	"sync"
	"unsafe"
)

// A buffer comes from the pool of its size and goes back to it.
type buffer struct{ b []byte }

var pools [22]sync.Pool

func poolIndex(n int) (i int) {
	for n = (n - 1) >> 9; n > 0; n >>= 1 {
		i++
	}
	return i
}

func getBuffer(size int) *buffer {
	i := poolIndex(size)
	if x := pools[i].Get(); x != nil {
		return x.(*buffer)
	}
	return &buffer{b: make([]byte, 0, 512<<i)}
}

func putBuffer(b *buffer) {
	if b == nil {
		return
	}
	b.b = b.b[:0]
	pools[poolIndex(cap(b.b))].Put(b)
}

// A reader of an index. What its methods return shows the index.
type reader struct{ index []byte }

func newReader(index []byte) (*reader, error) {
	if len(index) < 4 {
		return nil, errors.New("short index")
	}
	return &reader{index}, nil
}

func asString(p []byte) string { return *(*string)(unsafe.Pointer(&p)) }

func (r *reader) labelValues(name string) ([]string, error) {
	var values []string
	for p := r.index; len(p) > 0; {
		n, m := binary.Uvarint(p)
		if m <= 0 || n > uint64(len(p)-m) {
			return nil, errors.New("bad index")
		}
		entry := asString(p[m : m+int(n)])
		if len(entry) > len(name) && entry[:len(name)] == name {
			values = append(values, entry[len(name):])
		}
		p = p[m+int(n):]
	}
	return values, nil
}

type section struct {
	reader *reader
	buf    *buffer
}

func (s *section) Close() error {
	s.reader = nil
	if s.buf != nil {
		putBuffer(s.buf)
		s.buf = nil
	}
	return nil
}

type dataset struct {
	object io.ReaderAt
	offset int64
	size   int64
	tsdb   *section
}

func (d *dataset) open(context.Context) (err error) {
	d.tsdb = &section{buf: getBuffer(int(d.size))}
	defer func() {
		if err != nil {
			d.tsdb.Close()
		}
	}()
	d.tsdb.buf.b = d.tsdb.buf.b[:d.size]
	if _, err = d.object.ReadAt(d.tsdb.buf.b, d.offset); err == nil {
		d.tsdb.reader, err = newReader(d.tsdb.buf.b)
	}
	return err
}

func (d *dataset) index() *reader { return d.tsdb.reader }
func (d *dataset) close() error   { return d.tsdb.Close() }

type report struct{ values []string }

type query struct {
	ds    *dataset
	label string
}

func queryLabelValues(q *query) (*report, error) {
	values, err := q.ds.index().labelValues(q.label)
	if err != nil {
		return nil, err
	}
	sort.Strings(values)
	return &report{values: values}, nil
}

// run opens the dataset for one query. Reports are marshaled when all queries
// have run.
func run(ctx context.Context, ds *dataset, label string) (*report, error) {
	if err := ds.open(ctx); err != nil {
		return nil, err
	}
	defer ds.close()
	return queryLabelValues(&query{ds, label})
}
