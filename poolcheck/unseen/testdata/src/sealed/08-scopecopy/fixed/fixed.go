// Package fixed joins the items of a query with the elements of their arrays. What
// a name stands for is kept in scopes, which are used again like their items.
package fixed

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// An item is a document, or a part of one.
type item struct {
	id   string
	text []byte
	refs atomic.Int32
}

var items = sync.Pool{New: func() any { return new(item) }}

func newItem(id string, text []byte) *item {
	it := items.Get().(*item)
	it.id = id
	it.text = append(it.text[:0], text...)
	it.refs.Store(1)
	return it
}

func (it *item) hold() { it.refs.Add(1) }

func (it *item) drop() {
	if it.refs.Add(-1) > 0 {
		return
	}
	it.id = ""
	it.text = it.text[:0]
	items.Put(it)
}

// A scope has the items that names stand for. Names that it does not have are
// looked up in the outer one.
type scope struct {
	fields map[string]*item
	outer  *scope
	refs   atomic.Int32
}

var scopes = sync.Pool{New: func() any { return &scope{fields: make(map[string]*item, 2)} }}

func newScope(outer *scope) *scope {
	s := scopes.Get().(*scope)
	s.refs.Store(1)
	s.outer = outer
	if outer != nil {
		outer.hold()
	}
	return s
}

func (s *scope) hold() { s.refs.Add(1) }

// set gives a name to an item, whose reference becomes the scope's.
func (s *scope) set(name string, it *item) {
	if old, ok := s.fields[name]; ok {
		old.drop()
	}
	s.fields[name] = it
}

func (s *scope) field(name string) (*item, bool) {
	for ; s != nil; s = s.outer {
		if it, ok := s.fields[name]; ok {
			return it, true
		}
	}
	return nil, false
}

// copy returns a scope with the same names, which may be given other items.
func (s *scope) copy() *scope {
	c := newScope(s.outer)
	for name, it := range s.fields {
		it.hold()
		c.fields[name] = it
	}
	return c
}

func (s *scope) drop() {
	if s.refs.Add(-1) > 0 {
		return
	}
	if s.outer != nil {
		s.outer.drop()
		s.outer = nil
	}
	for _, it := range s.fields {
		it.drop()
	}
	clear(s.fields)
	scopes.Put(s)
}

// A row is what one operator hands to the next.
type row struct {
	scope *scope
	index int
}

// An unnest makes a row of each element of an array.
type unnest struct {
	from, as string
	always   bool // also a row of an array without elements
}

// elements reads an item that should be an array.
func elements(it *item) ([]json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(it.text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", it.id, err)
	}
	return list, nil
}

// process sends the rows of one scope, which it drops.
func (u *unnest) process(s *scope, out chan<- row) error {
	defer s.drop()
	it, ok := s.field(u.from)
	if !ok {
		return nil
	}
	list, err := elements(it)
	if err != nil {
		return err
	}
	if len(list) == 0 && u.always {
		out <- row{scope: s.copy()}
		return nil
	}
	for i, text := range list {
		r := row{scope: newScope(s.copy()), index: i}
		r.scope.outer.drop() // only the new scope has it
		r.scope.set(u.as, newItem(it.id, text))
		out <- r
	}
	return nil
}

// A printer writes the items of some names.
type printer struct{ names []string }

func (p *printer) write(w io.Writer, r row) error {
	defer r.scope.drop()
	for _, name := range p.names {
		it, ok := r.scope.field(name)
		if !ok {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s %s[%d]: %s\n", name, it.id, r.index, it.text); err != nil {
			return err
		}
	}
	return nil
}

type document struct {
	id   string
	text []byte
}

// run writes what comes of documents, and the first error of those that could
// not be read.
func run(w io.Writer, docs []document, doc string, u *unnest, p *printer) error {
	rows := make(chan row, 64)
	failed := make(chan error, 1)
	go func() {
		defer close(rows)
		for _, d := range docs {
			s := newScope(nil)
			s.set(doc, newItem(d.id, d.text))
			if err := u.process(s, rows); err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		}
	}()
	var err error
	for r := range rows {
		if err != nil {
			r.scope.drop()
			continue
		}
		err = p.write(w, r)
	}
	select {
	case e := <-failed:
		if err == nil {
			err = e
		}
	default:
	}
	return err
}
