// Package bug has functions of objects: their names, values and pairs.
package bug

import (
	"maps"
	"slices"
	"sort"
	"sync"
)

type kind int

const (
	missing kind = iota
	null
	object
	array
)

// A value is what an expression comes to.
type value interface {
	Type() kind
	Actual() any
}

type objectValue map[string]any

func (v objectValue) Type() kind  { return object }
func (v objectValue) Actual() any { return map[string]any(v) }

type sliceValue []any

func (v sliceValue) Type() kind  { return array }
func (v sliceValue) Actual() any { return []any(v) }

type constant kind

func (v constant) Type() kind  { return kind(v) }
func (v constant) Actual() any { return nil }

// newValue returns the value of v, which belongs to the value from then on.
func newValue(v any) value {
	switch v := v.(type) {
	case []any:
		return sliceValue(v)
	case map[string]any:
		return objectValue(v)
	}
	return constant(null)
}

// An interfacePool has slices of one capacity.
type interfacePool struct {
	pool sync.Pool
	size int
}

func newInterfacePool(size int) *interfacePool {
	p := &interfacePool{size: size}
	p.pool.New = func() any { return make([]any, 0, size) }
	return p
}

func (p *interfacePool) get() []any { return p.pool.Get().([]any) }

// getFor returns a slice of this capacity at least.
func (p *interfacePool) getFor(capacity int) []any {
	if capacity > p.size {
		return make([]any, 0, capacity)
	}
	return p.get()
}

func (p *interfacePool) put(s []any) {
	if cap(s) != p.size {
		return
	}
	p.pool.Put(s[:0])
}

const smallCap = 16

var listPool = newInterfacePool(256)

type item any

type expression interface {
	Evaluate(it item) (value, error)
}

func sortedNames(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// argument evaluates the operand of a function of one object. If it returns a
// value, that is the result of the function.
func argument(operand expression, it item) (map[string]any, value, error) {
	arg, err := operand.Evaluate(it)
	if err != nil {
		return nil, nil, err
	}
	switch arg.Type() {
	case missing:
		return nil, constant(missing), nil
	case object:
		return arg.Actual().(map[string]any), nil, nil
	}
	return nil, constant(null), nil
}

// Names has the names of an object, sorted.
type Names struct{ operand expression }

func (f *Names) Evaluate(it item) (value, error) {
	m, v, err := argument(f.operand, it)
	if err != nil || v != nil {
		return v, err
	}
	var small [smallCap]any
	var list []any
	if len(m) <= len(small) {
		list = small[:0]
	} else {
		list = listPool.getFor(len(m))
		defer listPool.put(list)
	}
	for _, name := range sortedNames(m) {
		list = append(list, name)
	}
	return newValue(list), nil
}

// Values has the values of an object, in the order of their names.
type Values struct{ operand expression }

func (f *Values) Evaluate(it item) (value, error) {
	m, v, err := argument(f.operand, it)
	if err != nil || v != nil {
		return v, err
	}
	var small [smallCap]any
	var values []any
	if len(m) <= len(small) {
		values = small[:0]
	} else {
		values = listPool.getFor(len(m))
		defer listPool.put(values)
	}
	for name := range m {
		values = append(values, name)
	}
	sort.Slice(values, func(i, j int) bool { return values[i].(string) < values[j].(string) })
	for i, name := range values {
		values[i] = m[name.(string)]
	}
	return newValue(values), nil
}

// Pairs has an object for each name and its value.
type Pairs struct {
	operand expression
	types   bool
}

func (f *Pairs) Evaluate(it item) (value, error) {
	m, v, err := argument(f.operand, it)
	if err != nil || v != nil {
		return v, err
	}
	var small [smallCap]any
	var fields []any
	if len(m) <= len(small) {
		fields = small[:0]
	} else {
		fields = listPool.getFor(len(m))
		defer listPool.put(fields)
	}
	for _, name := range sortedNames(m) {
		if f.types {
			fields = append(fields, map[string]any{"name": name, "type": newValue(m[name]).Type()})
		} else {
			fields = append(fields, map[string]any{"name": name, "val": m[name]})
		}
	}
	return newValue(fields), nil
}
