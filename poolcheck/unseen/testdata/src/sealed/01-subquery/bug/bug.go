// Package bug evaluates subqueries. Each runs as a pipeline of its own, at the
// end of which its rows are collected into a list.
package bug

import (
	"errors"
	"sync"
)

// listSize is the capacity of the lists that rows are collected in at first.
const listSize = 64

// A listPool has lists of one capacity.
type listPool struct {
	pool *sync.Pool
	size int
}

func newListPool(size int) *listPool {
	return &listPool{
		pool: &sync.Pool{New: func() any { return make([]any, 0, size) }},
		size: size,
	}
}

func (p *listPool) get() []any { return p.pool.Get().([]any) }

func (p *listPool) put(list []any) {
	if cap(list) != p.size {
		return
	}
	clear(list)
	p.pool.Put(list[:0])
}

var lists = newListPool(listSize)

// A value is a string, a number, or an array of values.
type value any

type array []any

type row struct {
	fields map[string]value
	only   string // the name of the field that stands for the row, or ""
}

func (r *row) content() any {
	if r.only != "" {
		return r.fields[r.only]
	}
	return r.fields
}

// A producer sends its rows until it has no more.
type producer interface {
	produce(rows chan<- *row) error
}

// A gatherer is the last operator of a subquery.
type gatherer struct {
	input  chan *row
	output chan *row // nothing comes out, but it is closed when all came in
	values []any
}

func newGatherer() *gatherer {
	return &gatherer{
		input:  make(chan *row, 16),
		output: make(chan *row),
		values: lists.get(),
	}
}

func (c *gatherer) run() {
	defer c.giveBack()
	c.takeAll()
}

func (c *gatherer) takeAll() {
	defer close(c.output)
	for r := range c.input {
		c.take(r)
	}
}

func (c *gatherer) take(r *row) {
	if len(c.values) == cap(c.values) {
		bigger := make([]any, len(c.values), 2*len(c.values))
		copy(bigger, c.values)
		c.giveBack()
		c.values = bigger
	}
	c.values = append(c.values, r.content())
}

// result returns the rows as one value.
func (c *gatherer) result() value {
	return array(c.values)
}

func (c *gatherer) giveBack() {
	lists.put(c.values)
	c.values = nil
}

// A pipe connects a producer with the gatherer that takes its rows.
type pipe struct {
	first producer
	last  *gatherer
	err   error
}

func newPipe(first producer, last *gatherer) *pipe {
	return &pipe{first: first, last: last}
}

func (s *pipe) run() {
	go s.last.run()
	go func() {
		defer close(s.last.input)
		s.err = s.first.produce(s.last.input)
	}()
}

type subquery struct {
	text      string
	dependent bool
	plan      func(parent value) (producer, error)
}

// An execution is that of one query.
type execution struct {
	mu    sync.Mutex
	known map[*subquery]value
}

var errNoPlan = errors.New("subquery without a plan")

// rowsOf returns the rows of a subquery as an array.
func (x *execution) rowsOf(q *subquery, parent value) (value, error) {
	x.mu.Lock()
	one, ok := x.known[q]
	x.mu.Unlock()
	if ok {
		return one, nil
	}

	if q.plan == nil {
		return nil, errNoPlan
	}
	first, err := q.plan(parent)
	if err != nil {
		return nil, err
	}

	last := newGatherer()
	seq := newPipe(first, last)
	seq.run()

	// Wait until all rows are in.
	for range last.output {
	}

	all := last.result()
	if seq.err != nil {
		return nil, seq.err
	}

	// The same rows come out for each row of the outer query.
	if !q.dependent {
		x.mu.Lock()
		if x.known == nil {
			x.known = make(map[*subquery]value)
		}
		x.known[q] = all
		x.mu.Unlock()
	}
	return all, nil
}

// exists tells whether a subquery has rows.
func (x *execution) exists(q *subquery, parent value) (bool, error) {
	all, err := x.rowsOf(q, parent)
	if err != nil {
		return false, err
	}
	rows, ok := all.(array)
	return ok && len(rows) > 0, nil
}
