// Package bug copies rows into new parts: slowly, value by value, when they
// must be split.
package bug

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
)

type tagValue struct {
	tag   string
	value []byte
}

func (t *tagValue) reset() { t.tag, t.value = "", nil }

// A synced pool counts what is out.
type synced[T any] struct {
	sync.Pool
	refs atomic.Int32
}

func (p *synced[T]) Get() T {
	v := p.Pool.Get()
	if v == nil {
		var t T
		return t
	}
	p.refs.Add(1)
	return v.(T)
}

func (p *synced[T]) Put(v T) {
	p.Pool.Put(v)
	p.refs.Add(-1)
}

var tagValues synced[*tagValue]

func generateTagValue() *tagValue {
	v := tagValues.Get()
	if v == nil {
		return &tagValue{}
	}
	return v
}

func releaseTagValue(v *tagValue) {
	v.reset()
	tagValues.Put(v)
}

type elements struct {
	timestamps []int64
	tags       [][]*tagValue
}

var elementsPool synced[*elements]

func generateElements() *elements {
	v := elementsPool.Get()
	if v == nil {
		return &elements{}
	}
	return v
}

func (e *elements) reset() {
	e.timestamps = e.timestamps[:0]
	for i := range e.tags {
		for j := range e.tags[i] {
			releaseTagValue(e.tags[i][j])
		}
	}
	e.tags = e.tags[:0]
}

func releaseElements(e *elements) {
	e.reset()
	elementsPool.Put(e)
}

// An arena holds the tag values of one copy.
type arena struct {
	values []tagValue
	ptrs   []*tagValue
}

var arenas = sync.Pool{New: func() any {
	return &arena{values: make([]tagValue, 0, 256), ptrs: make([]*tagValue, 0, 256)}
}}

func (a *arena) reset() {
	a.values = a.values[:0]
	a.ptrs = a.ptrs[:0]
}

func (a *arena) tagValue(tag string, value []byte) *tagValue {
	if len(a.values)+1 > cap(a.values) {
		return &tagValue{tag, value}
	}
	a.values = append(a.values, tagValue{tag, value})
	return &a.values[len(a.values)-1]
}

func (a *arena) take(n int) []*tagValue {
	if len(a.ptrs)+n > cap(a.ptrs) {
		return make([]*tagValue, n)
	}
	a.ptrs = a.ptrs[:len(a.ptrs)+n]
	return a.ptrs[len(a.ptrs)-n:]
}

func releaseArena(a *arena) {
	a.reset()
	arenas.Put(a)
}

type block struct {
	timestamps []int64
	names      []string
	columns    [][][]byte
}

func appendRow(b *block, row int, a *arena, buckets map[int64]*elements) {
	ts := b.timestamps[row]
	e, ok := buckets[ts>>32]
	if !ok {
		e = generateElements()
		e.reset()
		buckets[ts>>32] = e
	}
	e.timestamps = append(e.timestamps, ts)
	tags := a.take(len(b.names))
	for i, name := range b.names {
		tags[i] = a.tagValue(name, b.columns[i][row])
	}
	e.tags = append(e.tags, tags)
}

func flush(e *elements, w io.Writer) error {
	defer releaseElements(e)
	for _, row := range e.tags {
		for _, t := range row {
			if _, err := w.Write(t.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func slowCopy(blocks []*block, dir string) error {
	a := arenas.Get().(*arena)
	defer releaseArena(a)
	f, err := os.CreateTemp(dir, "part")
	if err != nil {
		return err
	}
	defer f.Close()
	for _, b := range blocks {
		buckets := make(map[int64]*elements)
		for row := range b.timestamps {
			appendRow(b, row, a, buckets)
		}
		for _, e := range buckets {
			if ferr := flush(e, f); ferr != nil && err == nil {
				err = ferr
			}
		}
		a.reset()
		if err != nil {
			return err
		}
	}
	return nil
}
