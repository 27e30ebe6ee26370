// Package fixed searches documents for words that follow each other.
package fixed

import (
	"bytes"
	"fmt"
)

// locations has the positions of each word.
type locations map[string][]int

type match struct {
	id        []byte
	locations locations
}

func (m *match) reset() {
	m.id = m.id[:0]
	m.locations = nil
}

// A matchPool has the matches of one search. It is for one goroutine.
type matchPool struct {
	free     []*match
	tooSmall func() *match
}

func newMatchPool(size int) *matchPool {
	p := &matchPool{tooSmall: func() *match { return new(match) }}
	block := make([]match, size)
	for i := range block {
		p.free = append(p.free, &block[i])
	}
	return p
}

func (p *matchPool) Get() *match {
	if n := len(p.free); n > 0 {
		m := p.free[n-1]
		p.free = p.free[:n-1]
		return m
	}
	return p.tooSmall()
}

func (p *matchPool) Put(m *match) {
	if m == nil {
		return
	}
	m.reset()
	p.free = append(p.free, m)
}

type searchContext struct{ matches *matchPool }

// A searcher gives matches from the pool, which its caller puts back.
type searcher interface {
	Next(ctx *searchContext) (*match, error)
	Advance(ctx *searchContext, id []byte) (*match, error)
	Close() error
	poolSize() int
}

type document struct {
	id    []byte
	words locations
}

// A wordsSearcher finds the documents that have all the words.
type wordsSearcher struct {
	documents []document
	words     []string
}

func (s *wordsSearcher) has(d document) bool {
	for _, w := range s.words {
		if len(d.words[w]) == 0 {
			return false
		}
	}
	return true
}

func (s *wordsSearcher) Next(ctx *searchContext) (*match, error) {
	for len(s.documents) > 0 {
		d := s.documents[0]
		s.documents = s.documents[1:]
		if len(d.id) == 0 {
			return nil, fmt.Errorf("document without identifier")
		}
		if s.has(d) {
			m := ctx.matches.Get()
			m.id = append(m.id, d.id...)
			m.locations = d.words
			return m, nil
		}
	}
	return nil, nil
}

func (s *wordsSearcher) Advance(ctx *searchContext, id []byte) (*match, error) {
	for len(s.documents) > 0 && bytes.Compare(s.documents[0].id, id) < 0 {
		s.documents = s.documents[1:]
	}
	return s.Next(ctx)
}

func (s *wordsSearcher) Close() error  { return nil }
func (s *wordsSearcher) poolSize() int { return 1 }

type phraseSearcher struct {
	must        searcher
	current     *match
	words       []string
	initialized bool
}

func newPhraseSearcher(documents []document, words []string) *phraseSearcher {
	return &phraseSearcher{must: &wordsSearcher{documents: documents, words: words}, words: words}
}

func (s *phraseSearcher) init(ctx *searchContext) error {
	if err := s.advanceMust(ctx); err != nil {
		return err
	}
	s.initialized = true
	return nil
}

func (s *phraseSearcher) advanceMust(ctx *searchContext) error {
	var err error
	if s.must != nil {
		if s.current != nil {
			ctx.matches.Put(s.current)
		}
		s.current, err = s.must.Next(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *phraseSearcher) Next(ctx *searchContext) (*match, error) {
	if !s.initialized {
		if err := s.init(ctx); err != nil {
			return nil, err
		}
	}
	for s.current != nil {
		m := s.check()
		if err := s.advanceMust(ctx); err != nil {
			ctx.matches.Put(m)
			return nil, err
		}
		if m != nil {
			return m, nil
		}
	}
	return nil, nil
}

// check returns the current match if the words follow each other in it.
func (s *phraseSearcher) check() *match {
	found := make(locations)
	for _, start := range s.current.locations[s.words[0]] {
		if s.follow(start) {
			for i, w := range s.words {
				found[w] = append(found[w], start+i)
			}
		}
	}
	if len(found) > 0 {
		m := s.current
		s.current = nil
		m.locations = found
		return m
	}
	return nil
}

func (s *phraseSearcher) follow(start int) bool {
	for i, w := range s.words {
		at := false
		for _, position := range s.current.locations[w] {
			at = at || position == start+i
		}
		if !at {
			return false
		}
	}
	return true
}

func (s *phraseSearcher) Advance(ctx *searchContext, id []byte) (*match, error) {
	if !s.initialized {
		if err := s.init(ctx); err != nil {
			return nil, err
		}
	}
	if s.current == nil {
		return nil, nil
	}
	if bytes.Compare(s.current.id, id) >= 0 {
		return s.Next(ctx)
	}
	ctx.matches.Put(s.current)
	var err error
	s.current, err = s.must.Advance(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Next(ctx)
}

func (s *phraseSearcher) Close() error  { return s.must.Close() }
func (s *phraseSearcher) poolSize() int { return s.must.poolSize() + 1 }

// collect returns the identifiers of the documents that a searcher finds.
func collect(s searcher) ([]string, error) {
	ctx := &searchContext{matches: newMatchPool(s.poolSize())}
	defer s.Close()
	var ids []string
	m, err := s.Next(ctx)
	for err == nil && m != nil {
		ids = append(ids, string(m.id))
		ctx.matches.Put(m)
		m, err = s.Next(ctx)
	}
	return ids, err
}
