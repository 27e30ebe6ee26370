// Package bug makes tensors of columns whose memory is counted.
package bug

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

type dataType int

const (
	float64Type dataType = iota
	boolType
)

// An allocator keeps the memory of columns for the next ones.
type allocator interface {
	Floats(n int) []float64
	Free(values []float64)
}

type keeper struct {
	mu   sync.Mutex
	free [][]float64
}

func (k *keeper) Floats(n int) []float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.free) - 1; i >= 0; i-- {
		if s := k.free[i]; cap(s) >= n {
			k.free = append(k.free[:i], k.free[i+1:]...)
			return s[:n]
		}
	}
	return make([]float64, n)
}

func (k *keeper) Free(values []float64) {
	k.mu.Lock()
	k.free = append(k.free, values)
	k.mu.Unlock()
}

// A column belongs to all that retained it, and to whoever made it. When the last of
// them has released it, its memory goes back.
type column interface {
	Retain()
	Release()
	Len() int
	IsNull(i int) bool
	DataType() dataType
}

type floatColumn struct {
	refs   atomic.Int64
	mem    allocator
	values []float64
	valid  []bool
}

func newFloatColumn(mem allocator, values []float64, valid []bool) *floatColumn {
	c := &floatColumn{mem: mem, values: values, valid: valid}
	c.refs.Store(1)
	return c
}

func (c *floatColumn) Retain() { c.refs.Add(1) }

func (c *floatColumn) Release() {
	if c.refs.Add(-1) == 0 {
		c.mem.Free(c.values)
		c.values, c.valid = nil, nil
	}
}

func (c *floatColumn) Len() int           { return len(c.values) }
func (c *floatColumn) IsNull(i int) bool  { return !c.valid[i] }
func (c *floatColumn) DataType() dataType { return float64Type }

// Values gives the memory of the column itself.
func (c *floatColumn) Values() []float64 { return c.values }

// dense is a tensor all of whose elements are stored.
type dense struct {
	shape   []int
	backing []float64
	mask    []bool
}

type option func(*dense)

func withBacking(backing []float64, mask []bool) option {
	return func(t *dense) { t.backing, t.mask = backing, mask }
}

func withShape(dims ...int) option {
	return func(t *dense) { t.shape = dims }
}

func newDense(options ...option) *dense {
	t := new(dense)
	for _, o := range options {
		o(t)
	}
	return t
}

// sum adds up what is not masked.
func (t *dense) sum() float64 {
	var total float64
	for i, v := range t.backing {
		if !t.mask[i] {
			total += v
		}
	}
	return total
}

// fromColumn makes a tensor of one column.
func fromColumn(c column) *dense {
	c.Retain()

	rows := c.Len()
	mask := make([]bool, rows)
	for i := range mask {
		mask[i] = c.IsNull(i)
	}

	switch c.DataType() {
	case float64Type:
		backing := c.(*floatColumn).Values()
		return newDense(withBacking(backing, mask), withShape(rows, 1))
	default:
		panic(fmt.Sprintf("no tensor can be made of type %d", c.DataType()))
	}
}

// readColumn reads n lines of a number each; an empty line is null.
func readColumn(mem allocator, r io.Reader, n int) (*floatColumn, error) {
	values := mem.Floats(n)
	valid := make([]bool, n)
	lines := bufio.NewScanner(r)
	for i := range values {
		values[i] = 0
		if !lines.Scan() {
			mem.Free(values)
			return nil, io.ErrUnexpectedEOF
		}
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			mem.Free(values)
			return nil, err
		}
		values[i], valid[i] = v, true
	}
	return newFloatColumn(mem, values, valid), nil
}

// load reads a column as a tensor.
func load(mem allocator, r io.Reader, n int) (*dense, error) {
	c, err := readColumn(mem, r, n)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	return fromColumn(c), nil
}
