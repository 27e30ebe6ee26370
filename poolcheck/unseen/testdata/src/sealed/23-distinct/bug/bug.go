// Package bug passes on the rows of records that were not seen before.
package bug

import (
	"errors"
	"hash/maphash"
	"sync"
)

// An allocator gives memory for values and takes it back.
type allocator interface {
	allocate(size int) []int64
	free(values []int64)
}

// A pooledAllocator has memory of powers of two.
type pooledAllocator struct{ pools [24]sync.Pool }

func (a *pooledAllocator) allocate(size int) []int64 {
	for i := range a.pools {
		if 1<<i >= size {
			if v, ok := a.pools[i].Get().(*[]int64); ok {
				return (*v)[:0]
			}
			return make([]int64, 0, 1<<i)
		}
	}
	return make([]int64, 0, size)
}

func (a *pooledAllocator) free(values []int64) {
	for i := range a.pools {
		if 1<<i == cap(values) {
			a.pools[i].Put(&values)
		}
	}
}

// An array is a column. It begins with one reference, and its memory is freed
// with the last.
type array struct {
	mem    allocator
	refs   int
	values []int64
}

func (a *array) retain() { a.refs++ }

func (a *array) release() {
	a.refs--
	if a.refs == 0 {
		a.mem.free(a.values)
		a.values = nil
	}
}

// A builder makes arrays.
type builder struct {
	mem    allocator
	values []int64
}

func newBuilder(mem allocator) *builder { return &builder{mem: mem} }

func (b *builder) append(v int64) {
	if len(b.values) == cap(b.values) {
		larger := b.mem.allocate(2*len(b.values) + 16)
		larger = append(larger, b.values...)
		b.mem.free(b.values)
		b.values = larger
	}
	b.values = append(b.values, v)
}

// newArray gives the caller an array of what was appended, and begins anew.
func (b *builder) newArray() *array {
	a := &array{mem: b.mem, refs: 1, values: b.values}
	b.values = nil
	return a
}

func (b *builder) release() {
	b.mem.free(b.values)
	b.values = nil
}

// A record has a reference to each of its columns.
type record struct {
	refs    int
	names   []string
	columns []*array
	rows    int
}

func newRecord(names []string, columns []*array, rows int) *record {
	for _, c := range columns {
		c.retain()
	}
	return &record{refs: 1, names: names, columns: columns, rows: rows}
}

func (r *record) retain() { r.refs++ }

func (r *record) release() {
	r.refs--
	if r.refs == 0 {
		for _, c := range r.columns {
			c.release()
		}
		r.columns = nil
	}
}

// A distinction passes on the distinct rows of some columns.
type distinction struct {
	mem     allocator
	columns map[string]bool
	seed    maphash.Seed
	seen    map[uint64]bool
	next    func(*record) error
}

func newDistinction(mem allocator, columns []string, next func(*record) error) *distinction {
	d := &distinction{
		mem:     mem,
		columns: make(map[string]bool),
		seed:    maphash.MakeSeed(),
		seen:    make(map[uint64]bool),
		next:    next,
	}
	for _, name := range columns {
		d.columns[name] = true
	}
	return d
}

// callback gets a record that the caller releases.
func (d *distinction) callback(r *record) error {
	var names []string
	var from []*array
	for i, name := range r.names {
		if d.columns[name] {
			names = append(names, name)
			from = append(from, r.columns[i])
		}
	}
	if len(names) == 0 {
		return errors.New("the record has none of the columns")
	}
	builders := make([]*builder, len(from))
	for i := range from {
		builders[i] = newBuilder(d.mem)
		defer builders[i].release()
	}
	rows := 0
	for row := range r.rows {
		var h maphash.Hash
		h.SetSeed(d.seed)
		for _, a := range from {
			maphash.WriteComparable(&h, a.values[row])
		}
		if d.seen[h.Sum64()] {
			continue
		}
		d.seen[h.Sum64()] = true
		for i, a := range from {
			builders[i].append(a.values[row])
		}
		rows++
	}
	if rows == 0 {
		return nil
	}
	arrays := make([]*array, len(builders))
	for i, b := range builders {
		arrays[i] = b.newArray()
	}
	distinct := newRecord(names, arrays, rows)
	for _, a := range arrays {
		a.release()
	}
	return d.next(distinct)
}

// Results keep the records that they get.
type results struct{ records []*record }

func (s *results) add(r *record) error {
	r.retain()
	s.records = append(s.records, r)
	return nil
}

func (s *results) close() {
	for _, r := range s.records {
		r.release()
	}
	s.records = nil
}

// distinctRows is what callers use. They close the results.
func distinctRows(mem allocator, table [][]int64, names, columns []string) (*results, error) {
	s := new(results)
	d := newDistinction(mem, columns, s.add)
	for _, rows := range table {
		arrays := make([]*array, len(names))
		for i := range names {
			b := newBuilder(mem)
			for j := i; j < len(rows); j += len(names) {
				b.append(rows[j])
			}
			arrays[i] = b.newArray()
		}
		r := newRecord(names, arrays, len(rows)/len(names))
		for _, a := range arrays {
			a.release()
		}
		err := d.callback(r)
		r.release()
		if err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}
