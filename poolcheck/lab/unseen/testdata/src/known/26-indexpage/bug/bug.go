// Package bug reads the pages of an index, which are compressed one by one.
package bug

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
)

// A readerPool has decompressing readers of one codec.
type readerPool interface {
	GetReader(src io.Reader) (io.Reader, error)
	PutReader(r io.Reader)
}

type codec byte

const (
	codecNone codec = iota
	codecGzip
	codecFlate
)

var (
	gzipReaders  gzipPool
	flateReaders flatePool
	plainReaders plainPool
)

func readersOf(c codec) readerPool {
	switch c {
	case codecGzip:
		return &gzipReaders
	case codecFlate:
		return &flateReaders
	default:
		return &plainReaders
	}
}

type gzipPool struct{ readers sync.Pool }

// A gzipReader keeps the gzip.Reader that is under its buffer, to reset it.
type gzipReader struct {
	*bufio.Reader
	gz *gzip.Reader
}

func (p *gzipPool) GetReader(src io.Reader) (io.Reader, error) {
	if r, ok := p.readers.Get().(*gzipReader); ok {
		if err := r.gz.Reset(src); err != nil {
			return nil, err
		}
		r.Reader.Reset(r.gz)
		return r, nil
	}
	gz, err := gzip.NewReader(src)
	if err != nil {
		return nil, err
	}
	return &gzipReader{Reader: bufio.NewReaderSize(gz, 4<<10), gz: gz}, nil
}

func (p *gzipPool) PutReader(r io.Reader) { p.readers.Put(r) }

type flatePool struct{ readers sync.Pool }

func (p *flatePool) GetReader(src io.Reader) (io.Reader, error) {
	if r := p.readers.Get(); r != nil {
		if err := r.(flate.Resetter).Reset(src, nil); err != nil {
			panic(err)
		}
		return r.(io.Reader), nil
	}
	return flate.NewReader(src), nil
}

func (p *flatePool) PutReader(r io.Reader) { p.readers.Put(r) }

type plainPool struct{}

func (plainPool) GetReader(src io.Reader) (io.Reader, error) { return src, nil }
func (plainPool) PutReader(io.Reader)                        {}

var pageBytes = sync.Pool{New: func() any { return new([]byte) }}

func getPage(n int) *[]byte {
	p := pageBytes.Get().(*[]byte)
	if cap(*p) < n {
		*p = make([]byte, n)
	}
	*p = (*p)[:n]
	return p
}

func putPage(p *[]byte) { pageBytes.Put(p) }

type pageHeader struct {
	offset             int64
	size, expandedSize int
}

type index struct{ codec codec }

type pageDecoder struct {
	header pageHeader
	data   []byte
}

func (x *index) decoder(r io.ReadSeeker, h pageHeader) (*pageDecoder, error) {
	if _, err := r.Seek(h.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("seeking a page: %w", err)
	}
	page := getPage(h.size)
	defer putPage(page)
	if _, err := io.ReadFull(r, *page); err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	packed := *page

	expander, err := readersOf(x.codec).GetReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("opening a page: %w", err)
	}
	expanded := make([]byte, h.expandedSize)
	if _, err = io.ReadFull(expander, expanded); err != nil {
		return nil, fmt.Errorf("expanding a page: %w", err)
	}
	return &pageDecoder{header: h, data: expanded}, nil
}
