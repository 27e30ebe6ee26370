package oct004

import (
	"io"
	"sync"
)

type sheets struct{ pool sync.Pool }

func (s *sheets) get(n int) []byte {
	if p, ok := s.pool.Get().(*[]byte); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]byte, n)
}

func (s *sheets) put(p []byte) { s.pool.Put(&p) }

// A binder opens leaves.
type binder struct {
	sheets *sheets
	r      io.ReaderAt
}

// A leaf belongs to a binder until it is closed.
type leaf struct {
	binder *binder
	data   []byte
}

func (l *leaf) close() {
	if l.binder != nil {
		l.binder.sheets.put(l.data)
	}
	l.data = nil
}

func (b *binder) open(at int64) (*leaf, error) {
	data := b.sheets.get(4096)
	if _, err := b.r.ReadAt(data, at); err != nil {
		b.sheets.put(data)
		return nil, err
	}
	return &leaf{binder: b, data: data}, nil
}

// A search looks through a leaf, which it closes in the end.
type search struct {
	leaf *leaf
	at   int
}

func (s *search) close() { s.leaf.close() }

func (s *search) next() (word byte, ok bool) {
	if s.at == len(s.leaf.data) {
		return 0, false
	}
	s.at++
	return s.leaf.data[s.at-1], true
}

func (b *binder) scan(at int64) (*search, error) {
	l, err := b.open(at)
	if err != nil {
		return nil, err
	}
	return &search{leaf: l}, nil
}

// ok: the leaf has a binder, since a method of the binder has opened it.
func (b *binder) contains(at int64, word byte) (bool, error) {
	s, err := b.scan(at)
	if err != nil {
		return false, err
	}
	defer s.close()
	for w, ok := s.next(); ok; w, ok = s.next() {
		if w == word {
			return true, nil
		}
	}
	return false, nil
}

// bad: the leaf is lost if it has the word.
func (b *binder) lacks(at int64, word byte) (bool, error) {
	s, err := b.scan(at) // want "OCT004: .*not released on every path"
	if err != nil {
		return false, err
	}
	for w, ok := s.next(); ok; w, ok = s.next() {
		if w == word {
			return false, nil
		}
	}
	s.close()
	return true, nil
}
