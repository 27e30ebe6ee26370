// Package bug copies pages whose values are in pooled, counted buffers.
package bug

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// A counted buffer goes back to the pool with its last reference.
type counted struct {
	data []byte
	refs atomic.Int32
}

var buffers = sync.Pool{New: func() any { return new(counted) }}

func newCounted(size int) *counted {
	b := buffers.Get().(*counted)
	if cap(b.data) < size {
		b.data = make([]byte, size)
	}
	b.data = b.data[:size]
	b.refs.Store(1)
	return b
}

func (b *counted) ref() { b.refs.Add(1) }

func (b *counted) unref() {
	if b.refs.Add(-1) == 0 {
		buffers.Put(b)
	}
}

type page interface {
	numValues() int64
	bytes() []byte
}

type bufferedPage struct {
	n       int64
	values  *counted
	offsets *counted
}

func (p *bufferedPage) numValues() int64 { return p.n }
func (p *bufferedPage) bytes() []byte    { return p.values.data }

func (p *bufferedPage) Retain() {
	p.values.ref()
	p.offsets.ref()
}

func (p *bufferedPage) Release() {
	p.values.unref()
	p.offsets.unref()
}

// release lets go of a page that has something to let go of.
func release(p page) {
	if r, ok := p.(interface{ Release() }); ok {
		r.Release()
	}
}

type pageReader interface{ readPage() (page, error) }
type pageWriter interface{ writePage(page) (int64, error) }

type fileReader struct{ r io.Reader }

func (f *fileReader) readPage() (page, error) {
	var head [2]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return nil, err
	}
	p := &bufferedPage{int64(head[0]), newCounted(int(head[1])), newCounted(int(head[0]))}
	if _, err := io.ReadFull(f.r, p.values.data); err != nil {
		p.Release()
		return nil, err
	}
	if _, err := io.ReadFull(f.r, p.offsets.data); err != nil {
		p.Release()
		return nil, err
	}
	return p, nil
}

type fileWriter struct{ w io.Writer }

func (f *fileWriter) writePage(p page) (int64, error) {
	if _, err := f.w.Write(p.bytes()); err != nil {
		return 0, err
	}
	return p.numValues(), nil
}

func copyPages(dst pageWriter, src pageReader) (total int64, err error) {
	for {
		p, err := src.readPage()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return total, err
		}
		n, err := dst.writePage(p)
		total += n
		if err != nil {
			return total, err
		}
	}
}

func copyFile(w io.Writer, r io.Reader) (int64, error) {
	return copyPages(&fileWriter{w}, &fileReader{r})
}
