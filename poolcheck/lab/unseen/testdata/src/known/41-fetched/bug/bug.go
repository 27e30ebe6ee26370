// Package bug reads what its targets answer.
package bug

import (
	"bytes"
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
	spoolPool sync.Pool
	pagePool  sync.Pool
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

func unpack(dst *bytes.Buffer, src *spool) error {
	_, err := dst.ReadFrom(src.reader())
	return err
}

type scraper struct {
	// fetch appends an answer to dst.
	fetch func(dst *spool) error
}

// answer returns what the target answers.
func (s *scraper) answer() ([]byte, error) {
	c := getSpool()
	defer putSpool(c)

	if err := s.fetch(c); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err := unpack(&buf, c)
	putSpool(c)
	return buf.Bytes(), err
}
