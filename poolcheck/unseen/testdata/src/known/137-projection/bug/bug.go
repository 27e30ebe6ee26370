// Package bug projects the columns of a file to the schema that was asked for.
// It makes new arrays for nested types; others stay those of the file.
package bug

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

var blocks = sync.Pool{New: func() any { return new([]byte) }}

// A buffer goes back when nobody holds it any more.
type buffer struct {
	refs  atomic.Int64
	block *[]byte
}

func newBuffer(size int) *buffer {
	block := blocks.Get().(*[]byte)
	if cap(*block) < size {
		*block = make([]byte, size)
	}
	*block = (*block)[:size]
	b := &buffer{block: block}
	b.refs.Store(1)
	return b
}

func (b *buffer) release() {
	if b.refs.Add(-1) == 0 {
		blocks.Put(b.block)
		b.block = nil
	}
}

type dataType any

// A nestedType has columns of its own.
type nestedType interface{ columns() []field }

type field struct {
	id  int
	typ dataType
}

type (
	primitive  string
	structType []field
	listType   struct{ elem field }
	mapType    struct{ key, value field }
)

func (t structType) columns() []field { return t }
func (t listType) columns() []field   { return []field{t.elem} }
func (t mapType) columns() []field    { return []field{t.key, t.value} }

// arrayData holds its buffer and the data of columns within.
type arrayData struct {
	refs     atomic.Int64
	typ      dataType
	n        int
	buf      *buffer
	children []*arrayData
}

func newData(typ dataType, n int, buf *buffer, children ...*arrayData) *arrayData {
	buf.refs.Add(1)
	for _, c := range children {
		c.refs.Add(1)
	}
	d := &arrayData{typ: typ, n: n, buf: buf, children: children}
	d.refs.Store(1)
	return d
}

func (d *arrayData) release() {
	if d.refs.Add(-1) == 0 {
		d.buf.release()
		for _, c := range d.children {
			c.release()
		}
	}
}

type array interface {
	retain()
	release()
	data() *arrayData
}

type flatArray struct {
	refs atomic.Int64
	d    *arrayData
}

func (a *flatArray) retain()          { a.refs.Add(1) }
func (a *flatArray) data() *arrayData { return a.d }

func (a *flatArray) release() {
	if a.refs.Add(-1) == 0 {
		a.d.release()
	}
}

// A nestedArray holds an array for each of its columns.
type nestedArray struct {
	flatArray
	parts []array
}

func (a *nestedArray) release() {
	if a.refs.Add(-1) == 0 {
		for _, p := range a.parts {
			p.release()
		}
		a.d.release()
	}
}

// makeFromData makes an array, which the caller releases.
func makeFromData(d *arrayData) array {
	d.refs.Add(1)
	a := &nestedArray{flatArray: flatArray{d: d}}
	a.refs.Store(1)
	if _, ok := d.typ.(nestedType); !ok {
		return &a.flatArray
	}
	for _, child := range d.children {
		a.parts = append(a.parts, makeFromData(child))
	}
	return a
}

// A visitor makes one result of those for the columns of a type.
type visitor interface {
	structResult(t structType, arr array, results []array) array
	listResult(t listType, list, elem array) array
	mapResult(t mapType, m, key, value array) array
}

type projection struct{}

// cast returns an array of the wanted type, which the caller releases.
func cast(want field, arr array) array {
	d := arr.data()
	if want.typ != primitive("int64") || d.typ != primitive("int32") {
		arr.retain()
		return arr
	}
	buf := newBuffer(8 * d.n)
	defer buf.release()
	for i := range d.n {
		v := int32(binary.LittleEndian.Uint32((*d.buf.block)[4*i:]))
		binary.LittleEndian.PutUint64((*buf.block)[8*i:], uint64(int64(v)))
	}
	out := newData(want.typ, d.n, buf)
	defer out.release()
	return makeFromData(out)
}

func (projection) structResult(t structType, arr array, results []array) array {
	if arr == nil {
		return nil
	}
	var kids []*arrayData
	var kept structType
	for i, f := range t {
		res := results[i]
		if res == nil {
			continue
		}
		if _, ok := res.(*nestedArray); ok {
			defer res.release()
		}
		res = cast(f, res)
		defer res.release()
		kids = append(kids, res.data())
		kept = append(kept, f)
	}
	d := newData(kept, arr.data().n, arr.data().buf, kids...)
	defer d.release()
	return makeFromData(d)
}

func (projection) listResult(t listType, list, elem array) array {
	arr, ok := list.(*nestedArray)
	if !ok || elem == nil {
		return nil
	}
	elem = cast(t.elem, elem)
	defer elem.release()
	d := newData(t, arr.d.n, arr.d.buf, elem.data())
	defer d.release()
	return makeFromData(d)
}

func (projection) mapResult(t mapType, m, key, value array) array {
	arr, ok := m.(*nestedArray)
	if !ok || key == nil || value == nil {
		return nil
	}
	keys := cast(t.key, key)
	defer keys.release()
	values := cast(t.value, value)
	defer values.release()
	d := newData(t, arr.d.n, arr.d.buf, keys.data(), values.data())
	defer d.release()
	return makeFromData(d)
}

// partner finds the column of a field in the file.
func partner(arr array, id int) array {
	a, ok := arr.(*nestedArray)
	if !ok {
		return nil
	}
	for i, f := range a.d.typ.(nestedType).columns() {
		if f.id == id {
			return a.parts[i]
		}
	}
	return nil
}

func visit(t dataType, arr array, v visitor) array {
	switch t := t.(type) {
	case structType:
		results := make([]array, len(t))
		for i, f := range t {
			results[i] = visit(f.typ, partner(arr, f.id), v)
		}
		return v.structResult(t, arr, results)
	case listType:
		elem := visit(t.elem.typ, partner(arr, t.elem.id), v)
		return v.listResult(t, arr, elem)
	case mapType:
		key := visit(t.key.typ, partner(arr, t.key.id), v)
		value := visit(t.value.typ, partner(arr, t.value.id), v)
		return v.mapResult(t, arr, key, value)
	}
	if _, ok := arr.(*nestedArray); ok {
		return nil
	}
	return arr
}

// toRequested leaves out fields that the batch has no column for.
func toRequested(want structType, batch *nestedArray) array {
	return visit(want, batch, projection{})
}
