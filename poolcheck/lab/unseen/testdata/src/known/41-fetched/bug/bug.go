// Package bug reads what its targets answer.
package bug

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
)

const pageSize = 4 << 10

// A spool holds data in pooled pages of one size.
type spool struct {
	pages []*[pageSize]byte
	end   int // of the last page
}

var (
	spoolPool  sync.Pool
	pagePool   sync.Pool
	readerPool sync.Pool
)

func getSpool() *spool {
	v := spoolPool.Get()
	if v == nil {
		return &spool{}
	}
	return v.(*spool)
}

func putSpool(s *spool) {
	s.reset()
	spoolPool.Put(s)
}

func getPage() *[pageSize]byte {
	v := pagePool.Get()
	if v == nil {
		return new([pageSize]byte)
	}
	return v.(*[pageSize]byte)
}

func (s *spool) reset() {
	for _, page := range s.pages {
		pagePool.Put(page)
	}
	clear(s.pages)
	s.pages = s.pages[:0]
	s.end = 0
}

func (s *spool) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(s.pages) == 0 || s.end == pageSize {
			s.pages = append(s.pages, getPage())
			s.end = 0
		}
		m := copy(s.pages[len(s.pages)-1][s.end:], p)
		s.end += m
		p = p[m:]
	}
	return n, nil
}

func (s *spool) reader() io.Reader {
	parts := make([]io.Reader, len(s.pages))
	for i, page := range s.pages {
		part := page[:]
		if i == len(s.pages)-1 {
			part = page[:s.end]
		}
		parts[i] = bytes.NewReader(part)
	}
	return io.MultiReader(parts...)
}

func getReader(r io.Reader) (*gzip.Reader, error) {
	v := readerPool.Get()
	if v == nil {
		return gzip.NewReader(r)
	}
	zr := v.(*gzip.Reader)
	if err := zr.Reset(r); err != nil {
		readerPool.Put(zr)
		return nil, err
	}
	return zr, nil
}

func unpack(dst *bytes.Buffer, src *spool, packed bool) error {
	if !packed {
		_, err := dst.ReadFrom(src.reader())
		return err
	}
	zr, err := getReader(src.reader())
	if err != nil {
		return fmt.Errorf("decompress the answer: %w", err)
	}
	_, err = dst.ReadFrom(zr)
	readerPool.Put(zr)
	if err != nil {
		return fmt.Errorf("read the compressed answer: %w", err)
	}
	return nil
}

type scraper struct {
	// fetch appends an answer to dst and tells whether it is compressed.
	fetch func(dst *spool) (packed bool, err error)
	parse func(data []byte) error
}

// answer returns what the target answers.
func (s *scraper) answer() ([]byte, error) {
	c := getSpool()
	defer putSpool(c)

	packed, err := s.fetch(c)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = unpack(&buf, c, packed)
	putSpool(c)
	return buf.Bytes(), err
}

func (s *scraper) scrape() error {
	c := getSpool()
	packed, err := s.fetch(c)
	var buf bytes.Buffer
	if err == nil {
		err = unpack(&buf, c, packed)
	}
	putSpool(c)
	if err != nil {
		return err
	}
	return s.parse(buf.Bytes())
}
