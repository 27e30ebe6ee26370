// Package bug brings batches of rows, as a file has them, into the form that a
// table asks for: columns in another order, of another type, or with defaults.
package bug

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type dataType int

const (
	intType dataType = iota
	longType
	structType
)

// field is a column of a schema. Its number stays the same when it is renamed.
type field struct {
	id       int
	name     string
	typ      dataType
	required bool
	initial  *int64
}

type schema struct{ fields []field }

func (s *schema) byID(id int) (int, bool) {
	for i, f := range s.fields {
		if f.id == id {
			return i, true
		}
	}
	return 0, false
}

var memory = sync.Pool{New: func() any { return new([]int64) }}

// An array is used by several that count as its owners. Each of them releases it
// once, and the last gives the memory back.
type array interface {
	Retain()
	Release()
	Len() int
	Type() dataType
}

type counted struct{ refs atomic.Int64 }

func (c *counted) Retain() { c.refs.Add(1) }

// drop says whether nobody is left.
func (c *counted) drop() bool {
	n := c.refs.Add(-1)
	if n < 0 {
		panic("too many releases")
	}
	return n == 0
}

type numbers struct {
	counted
	typ    dataType
	values *[]int64
}

// newNumbers makes an array of n values, which are the caller's to fill in.
func newNumbers(typ dataType, n int) *numbers {
	a := &numbers{typ: typ, values: memory.Get().(*[]int64)}
	a.Retain()
	*a.values = append((*a.values)[:0], make([]int64, n)...)
	return a
}

func (a *numbers) Release() {
	if a.drop() {
		memory.Put(a.values)
		a.values = nil
	}
}

func (a *numbers) Len() int       { return len(*a.values) }
func (a *numbers) Type() dataType { return a.typ }

// structArray has an array for each of its fields, which it retains.
type structArray struct {
	counted
	names  []string
	fields []array
	length int
}

func newStructArray(names []string, fields []array, length int) *structArray {
	for i, f := range fields {
		if f.Len() != length {
			panic(fmt.Errorf("field %s has %d rows, want %d", names[i], f.Len(), length))
		}
	}
	a := &structArray{names: names, fields: fields, length: length}
	a.Retain()
	for _, f := range fields {
		f.Retain()
	}
	return a
}

func (a *structArray) Release() {
	if a.drop() {
		for _, f := range a.fields {
			f.Release()
		}
		a.fields = nil
	}
}

func (a *structArray) Len() int       { return a.length }
func (a *structArray) Type() dataType { return structType }

// record is a batch of rows. It retains its columns.
type record struct {
	counted
	names   []string
	columns []array
	rows    int
}

func recordToStruct(r *record) *structArray { return newStructArray(r.names, r.columns, r.rows) }

func recordFromStruct(a *structArray) *record {
	r := &record{names: a.names, columns: a.fields, rows: a.length}
	r.Retain()
	for _, c := range r.columns {
		c.Retain()
	}
	return r
}

func (r *record) Release() {
	if r.drop() {
		for _, c := range r.columns {
			c.Release()
		}
		r.columns = nil
	}
}

// A visitor gets the fields of a schema, with the arrays that belong to them.
type visitor interface {
	// Field gets nil if there is no array. What it gives is not retained.
	Field(f field, values array) array
	// Struct gives an array of the caller's.
	Struct(s *schema, whole array, fields []array) array
}

// visit turns the panics of a visitor into errors.
func visit(s *schema, whole array, v visitor, part func(whole array, f field) array) (result array, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("projecting: %v", r)
		}
	}()
	fields := make([]array, len(s.fields))
	for i, f := range s.fields {
		fields[i] = v.Field(f, part(whole, f))
	}
	return v.Struct(s, whole, fields), nil
}

type projection struct{ file *schema }

func (p *projection) part(whole array, f field) array {
	if i, ok := p.file.byID(f.id); ok {
		return whole.(*structArray).fields[i]
	}
	return nil
}

func (p *projection) Field(_ field, values array) array { return values }

// castIfNeeded gives an array of the caller's, which may be the one it got.
func (p *projection) castIfNeeded(f field, values array) array {
	if values.Type() == f.typ {
		values.Retain()
		return values
	}
	from, ok := values.(*numbers)
	if !ok || from.typ != intType || f.typ != longType {
		panic(fmt.Errorf("field %s cannot be read as type %d", f.name, f.typ))
	}
	to := newNumbers(f.typ, from.Len())
	copy(*to.values, *from.values)
	return to
}

func (p *projection) Struct(s *schema, whole array, fields []array) array {
	names := make([]string, len(fields))
	arrays := make([]array, len(fields))
	for i, f := range s.fields {
		names[i] = f.name
		var a array
		if fields[i] != nil {
			a = p.castIfNeeded(f, fields[i])
		} else {
			if f.initial == nil && f.required {
				panic(fmt.Errorf("required field %s is missing", f.name))
			}
			filled := newNumbers(f.typ, whole.Len())
			if f.initial != nil {
				for j := range *filled.values {
					(*filled.values)[j] = *f.initial
				}
			}
			a = filled
		}
		defer a.Release()
		arrays[i] = a
	}
	return newStructArray(names, arrays, whole.Len())
}

// toRequested gives a batch in the form of the requested schema. It is the
// caller's; the batch that it is made of stays so, too.
func toRequested(requested, file *schema, batch *record) (*record, error) {
	st := recordToStruct(batch)
	defer st.Release()

	p := &projection{file: file}
	result, err := visit(requested, st, p, p.part)
	if err != nil {
		return nil, err
	}
	st.Release()
	out := recordFromStruct(result.(*structArray))
	result.Release()
	return out, nil
}

// scan hands all batches of a file on, in the form of a table.
func scan(table, file *schema, next func() (*record, error), emit func(*record) error) error {
	for {
		batch, err := next()
		if batch == nil || err != nil {
			return err
		}
		out, err := toRequested(table, file, batch)
		batch.Release()
		if err != nil {
			return err
		}
		err = emit(out)
		out.Release()
		if err != nil {
			return err
		}
	}
}
