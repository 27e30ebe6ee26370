// Package fixed turns the columns of a query into those that its user asked for:
// numbers come as integers with a scale.
package fixed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
)

type allocator interface {
	Allocate(n int) []uint64
	Free(p []uint64)
}

type pooled struct{ pool sync.Pool }

func (a *pooled) Allocate(n int) []uint64 {
	if p, ok := a.pool.Get().(*[]uint64); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]uint64, n)
}

func (a *pooled) Free(p []uint64) { a.pool.Put(&p) }

type allocatorKey struct{}

var defaultAllocator = &pooled{}

func withAllocator(ctx context.Context, mem allocator) context.Context {
	return context.WithValue(ctx, allocatorKey{}, mem)
}

func getAllocator(ctx context.Context) allocator {
	if mem, ok := ctx.Value(allocatorKey{}).(allocator); ok {
		return mem
	}
	return defaultAllocator
}

type typeID int

const (
	int64Type typeID = iota
	float64Type
	decimalType
)

type dataType struct {
	id               typeID
	precision, scale int
}

// An array is a column of a record. It has a count of references.
type array interface {
	Retain()
	Release()
	Type() dataType
	Len() int
	bits() []uint64
}

type fixedArray struct {
	refs atomic.Int64
	mem  allocator
	typ  dataType
	data []uint64
}

func newFixedArray(mem allocator, typ dataType, n int) *fixedArray {
	a := &fixedArray{mem: mem, typ: typ, data: mem.Allocate(n)}
	a.refs.Store(1)
	return a
}

func (a *fixedArray) Type() dataType { return a.typ }
func (a *fixedArray) Len() int       { return len(a.data) }
func (a *fixedArray) bits() []uint64 { return a.data }
func (a *fixedArray) Retain()        { a.refs.Add(1) }

func (a *fixedArray) Release() {
	if a.refs.Add(-1) == 0 {
		a.mem.Free(a.data)
		a.data = nil
	}
}

// castArray returns a new array with the values of another.
func castArray(ctx context.Context, a array, to dataType) (array, error) {
	from := a.Type()
	out := newFixedArray(getAllocator(ctx), to, a.Len())
	for i, v := range a.bits() {
		switch {
		case from.id == decimalType && to.id == float64Type:
			v = math.Float64bits(float64(int64(v)) / math.Pow10(from.scale))
		case from.id == int64Type && to.id != float64Type:
		default:
			out.Release()
			return nil, fmt.Errorf("cannot cast type %d to %d", from.id, to.id)
		}
		out.data[i] = v
	}
	return out, nil
}

func divide(ctx context.Context, a array, by float64) (array, error) {
	if by == 0 {
		return nil, errors.New("division by zero")
	}
	out := newFixedArray(getAllocator(ctx), dataType{id: float64Type}, a.Len())
	for i, v := range a.bits() {
		out.data[i] = math.Float64bits(float64(int64(v)) / by)
	}
	return out, nil
}

type field struct {
	name string
	typ  dataType
}

type schema struct{ fields []field }

// A record retains its columns.
type record struct {
	refs atomic.Int64
	sc   *schema
	cols []array
	rows int
}

func newRecord(sc *schema, cols []array, rows int) *record {
	r := &record{sc: sc, cols: cols, rows: rows}
	r.refs.Store(1)
	for _, c := range cols {
		c.Retain()
	}
	return r
}

func (r *record) Release() {
	if r.refs.Add(-1) == 0 {
		for _, c := range r.cols {
			c.Release()
		}
	}
}

type recordTransformer = func(ctx context.Context, r *record) (*record, error)

// A colTransformer returns an array that the caller releases.
type colTransformer = func(ctx context.Context, a array) (array, error)

func identity(_ context.Context, a array) (array, error) {
	a.Retain()
	return a, nil
}

// recTransformer transforms each column by a function of its own.
func recTransformer(sc *schema, tr []colTransformer) recordTransformer {
	return func(ctx context.Context, r *record) (*record, error) {
		if len(tr) != len(r.cols) {
			return nil, fmt.Errorf("%d columns, %d transformers", len(r.cols), len(tr))
		}
		cols := make([]array, len(tr))
		for i, col := range r.cols {
			var err error
			if cols[i], err = tr[i](ctx, col); err != nil {
				return nil, fmt.Errorf("column %d: %w", i, err)
			}
			defer cols[i].Release()
		}
		return newRecord(sc, cols, r.rows), nil
	}
}

// toDecimal makes a decimal of integers that are scaled already: the cast is to
// a type that holds all integers, and then the type is changed.
func toDecimal(ctx context.Context, a array, typ dataType) (array, error) {
	result, err := castArray(ctx, a, dataType{id: decimalType, precision: 20})
	if err != nil {
		return nil, err
	}
	result.(*fixedArray).typ = typ
	return result, nil
}

type columnMeta struct {
	kind             string
	precision, scale int
}

// transformerOf returns the schema that a query is to have, and what makes its
// records of those that come.
func transformerOf(sc *schema, metas []columnMeta, exact bool) (*schema, recordTransformer) {
	fields := make([]field, len(sc.fields))
	transformers := make([]colTransformer, len(sc.fields))
	for i, f := range sc.fields {
		meta := metas[i]
		switch strings.ToUpper(meta.kind) {
		case "FIXED":
			typ := dataType{id: decimalType, precision: meta.precision, scale: meta.scale}
			switch {
			case exact:
				f.typ = typ
				transformers[i] = func(ctx context.Context, a array) (array, error) {
					return toDecimal(ctx, a, typ)
				}
			case meta.scale == 0:
				f.typ = dataType{id: int64Type}
				transformers[i] = func(ctx context.Context, a array) (array, error) {
					return castArray(ctx, a, f.typ)
				}
			case meta.precision > 15 && meta.precision < 19:
				// these lose digits if they are divided as floats
				f.typ = dataType{id: float64Type}
				transformers[i] = func(ctx context.Context, a array) (array, error) {
					result, err := toDecimal(ctx, a, typ)
					if err != nil {
						return nil, err
					}
					defer result.Release()
					return castArray(ctx, result, f.typ)
				}
			default:
				f.typ = dataType{id: float64Type}
				transformers[i] = func(ctx context.Context, a array) (array, error) {
					return divide(ctx, a, math.Pow10(meta.scale))
				}
			}
		default:
			transformers[i] = identity
		}
		fields[i] = f
	}
	out := &schema{fields: fields}
	return out, recTransformer(out, transformers)
}
