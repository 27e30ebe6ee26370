// Package bug reads a table block by block, in columns whose references are
// counted.
package bug

import (
	"sync"
	"sync/atomic"
)

// A column is freed with its last reference.
type column interface {
	Len() int
	Retain()
	Release()
}

type times struct {
	refs   atomic.Int32
	values []int64
}

type numbers struct {
	refs   atomic.Int32
	values []float64
}

type texts struct {
	refs   atomic.Int32
	values []string
}

var (
	freeTimes   = sync.Pool{New: func() any { return new(times) }}
	freeNumbers = sync.Pool{New: func() any { return new(numbers) }}
	freeTexts   = sync.Pool{New: func() any { return new(texts) }}
)

func (c *times) Len() int { return len(c.values) }
func (c *times) Retain()  { c.refs.Add(1) }

func (c *times) Release() {
	if c.refs.Add(-1) == 0 {
		c.values = c.values[:0]
		freeTimes.Put(c)
	}
}

func (c *numbers) Len() int { return len(c.values) }
func (c *numbers) Retain()  { c.refs.Add(1) }

func (c *numbers) Release() {
	if c.refs.Add(-1) == 0 {
		c.values = c.values[:0]
		freeNumbers.Put(c)
	}
}

func (c *texts) Len() int { return len(c.values) }
func (c *texts) Retain()  { c.refs.Add(1) }

func (c *texts) Release() {
	if c.refs.Add(-1) == 0 {
		clear(c.values)
		c.values = c.values[:0]
		freeTexts.Put(c)
	}
}

func newTimes(values []int64) *times {
	c := freeTimes.Get().(*times)
	c.refs.Store(1)
	c.values = append(c.values, values...)
	return c
}

func newNumbers(values []float64) *numbers {
	c := freeNumbers.Get().(*numbers)
	c.refs.Store(1)
	c.values = append(c.values, values...)
	return c
}

// A textBuilder makes a column of texts one by one.
type textBuilder struct{ c *texts }

func newTextBuilder() *textBuilder {
	c := freeTexts.Get().(*texts)
	c.refs.Store(1)
	return &textBuilder{c}
}

func (b *textBuilder) Append(s string) { b.c.values = append(b.c.values, s) }

// NewColumn returns what was appended. The builder keeps its own reference.
func (b *textBuilder) NewColumn() column {
	b.c.Retain()
	return b.c
}

func (b *textBuilder) Release() { b.c.Release() }

type block struct {
	times  []int64
	values []float64
}

// A cursor returns an empty block at its end.
type cursor interface {
	Next() *block
	Close()
}

// A columnReader has columns until the function that gets it returns.
type columnReader interface {
	Len() int
	Times(j int) []int64
	Numbers(j int) []float64
	Texts(j int) []string
}

const (
	timeColumn = iota
	valueColumn
	firstTag
)

// A table is what tables of all types have.
type table struct {
	tags      []string
	n         int // of the block
	columns   []column
	err       error
	done      chan struct{}
	cancelled atomic.Bool
}

func newTable(tags []string, done chan struct{}) table {
	return table{tags: tags, columns: make([]column, firstTag+len(tags)), done: done}
}

func (t *table) Len() int    { return t.n }
func (t *table) Empty() bool { return t.n == 0 }
func (t *table) Cancel()     { t.cancelled.Store(true) }

func (t *table) Times(j int) []int64     { return t.columns[j].(*times).values }
func (t *table) Numbers(j int) []float64 { return t.columns[j].(*numbers).values }
func (t *table) Texts(j int) []string    { return t.columns[j].(*texts).values }

// appendTags makes the columns of the tags, which are the same in all rows.
func (t *table) appendTags() {
	for j, tag := range t.tags {
		b := newTextBuilder()
		for range t.n {
			b.Append(tag)
		}
		t.columns[firstTag+j] = b.NewColumn()
		b.Release()
	}
}

func (t *table) closeDone() {
	if t.done != nil {
		close(t.done)
		t.done = nil
	}
}

type numberTable struct {
	table
	mu  sync.Mutex
	cur cursor
}

func newNumberTable(cur cursor, tags []string, done chan struct{}) *numberTable {
	t := &numberTable{table: newTable(tags, done), cur: cur}
	t.advance()
	return t
}

// Do calls f with block after block.
func (t *numberTable) Do(f func(columnReader) error) error {
	t.mu.Lock()
	defer func() {
		t.closeDone()
		t.mu.Unlock()
	}()

	if !t.Empty() {
		t.err = f(t)
		for !t.cancelled.Load() && t.err == nil && t.advance() {
			t.err = f(t)
		}
	}
	return t.err
}

func (t *numberTable) advance() bool {
	b := t.cur.Next()
	t.n = len(b.times)
	if t.n == 0 {
		return false
	}
	t.columns[timeColumn] = newTimes(b.times)
	t.columns[valueColumn] = newNumbers(b.values)
	t.appendTags()
	return true
}

func (t *numberTable) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cur != nil {
		t.cur.Close()
		t.cur = nil
	}
}

// mean reads the table to its end, and closes it.
func mean(t *numberTable) (float64, error) {
	defer t.Close()
	var sum float64
	var n int
	err := t.Do(func(r columnReader) error {
		for _, v := range r.Numbers(valueColumn) {
			sum += v
		}
		n += r.Len()
		return nil
	})
	if n == 0 {
		return 0, err
	}
	return sum / float64(n), err
}
