// Package bug is a part of a query engine: operators that take batches of rows
// from each other. Their memory comes from the pool of the query.
package bug

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

const maxRows = 1024

var errRetry = errors.New("rows have changed since the transaction began")

type mpool struct {
	blocks sync.Pool
	used   atomic.Int64
}

func (m *mpool) alloc() []byte {
	m.used.Add(1)
	if b, ok := m.blocks.Get().([]byte); ok {
		return b
	}
	return make([]byte, 8*maxRows)
}

func (m *mpool) free(b []byte) {
	m.used.Add(-1)
	m.blocks.Put(b)
}

type process struct{ mp *mpool }

// vector is a column of at most maxRows numbers.
type vector struct {
	data []byte
	n    int
}

func newVector(mp *mpool) *vector { return &vector{data: mp.alloc()} }

func (v *vector) at(i int) uint64 { return binary.LittleEndian.Uint64(v.data[8*i:]) }

func (v *vector) add(x uint64) {
	binary.LittleEndian.PutUint64(v.data[8*v.n:], x)
	v.n++
}

func (v *vector) marshal() ([]byte, error) {
	if v.n == 0 {
		return nil, errors.New("no values")
	}
	return bytes.Clone(v.data[:8*v.n]), nil
}

func (v *vector) free(mp *mpool) {
	mp.free(v.data)
	v.data, v.n = nil, 0
}

// batch is some rows of a table.
type batch struct{ vecs []*vector }

func newBatch(cols int, mp *mpool) *batch {
	b := new(batch)
	for range cols {
		b.vecs = append(b.vecs, newVector(mp))
	}
	return b
}

func (b *batch) rows() int { return b.vecs[0].n }

func (b *batch) dup(mp *mpool) *batch {
	d := newBatch(len(b.vecs), mp)
	for i, v := range b.vecs {
		copy(d.vecs[i].data, v.data)
		d.vecs[i].n = v.n
	}
	return d
}

func (b *batch) cleanData() {
	for _, v := range b.vecs {
		v.n = 0
	}
}

func (b *batch) clean(mp *mpool) {
	for _, v := range b.vecs {
		v.free(mp)
	}
	b.vecs = nil
}

// An operator gives batches until it gives none. A batch is the operator's, and
// stays as it is until the next call.
type operator interface {
	call(proc *process) (*batch, error)
}

const (
	stepLock = iota
	stepSend
	stepEnd
)

// lockOp locks all rows that come before it passes the first one on.
type lockOp struct {
	child  operator
	lock   func(b *batch) error
	step   int
	retry  error
	cached []*batch
}

func (l *lockOp) call(proc *process) (*batch, error) {
	for l.step == stepLock {
		b, err := l.child.call(proc)
		if err != nil {
			return nil, err
		}
		if b == nil {
			l.step = stepSend
			break
		}
		if b.rows() == 0 {
			continue
		}
		if err := l.lock(b); errors.Is(err, errRetry) {
			l.retry = err
		} else if err != nil {
			return nil, err
		}
		l.cached = append(l.cached, b.dup(proc.mp))
	}
	if l.step == stepSend {
		if l.retry == nil && len(l.cached) > 0 {
			b := l.cached[0]
			l.cached = l.cached[1:]
			return b, nil
		}
		l.step = stepEnd
	}
	l.cleanCached(proc)
	return nil, l.retry
}

func (l *lockOp) cleanCached(proc *process) {
	for _, b := range l.cached {
		b.clean(proc.mp)
	}
	l.cached = nil
}

// reset is called before the operator is used once more, and free at the end.
func (l *lockOp) reset(proc *process) {
	l.cleanCached(proc)
	l.step, l.retry = stepLock, nil
}

func (l *lockOp) free(proc *process) { l.cleanCached(proc) }

const (
	receiving = iota
	sendingOne
	sendingMerged
	finished
)

// mergeOp merges batches that are sorted by their first column.
type mergeOp struct {
	child  operator
	status int
	list   []*batch
	index  []int
	buf    *batch
}

func (m *mergeOp) call(proc *process) (*batch, error) {
	for {
		switch m.status {
		case receiving:
			b, err := m.child.call(proc)
			if err != nil {
				return nil, err
			}
			if b == nil {
				m.status = sendingOne
				if len(m.list) > 1 {
					m.status = sendingMerged
					m.index = make([]int, len(m.list))
				}
				continue
			}
			if b.rows() == 0 {
				continue
			}
			m.list = append(m.list, b.dup(proc.mp))
		case sendingOne:
			if len(m.list) == 0 {
				return nil, nil
			}
			// There is nothing to be merged with.
			m.buf = m.list[0]
			m.list[0] = nil
			return m.buf, nil
		case sendingMerged:
			return m.merge(proc), nil
		case finished:
			return nil, nil
		}
	}
}

// merge takes the smallest rows until the batch to be sent is full.
func (m *mergeOp) merge(proc *process) *batch {
	if m.buf == nil {
		m.buf = newBatch(len(m.list[0].vecs), proc.mp)
	}
	m.buf.cleanData()
	for m.buf.rows() < maxRows {
		k := 0
		for i, b := range m.list {
			if b.vecs[0].at(m.index[i]) < m.list[k].vecs[0].at(m.index[k]) {
				k = i
			}
		}
		for j, v := range m.list[k].vecs {
			m.buf.vecs[j].add(v.at(m.index[k]))
		}
		m.index[k]++
		if m.index[k] == m.list[k].rows() {
			m.list[k].clean(proc.mp)
			m.list = slices.Delete(m.list, k, k+1)
			m.index = slices.Delete(m.index, k, k+1)
		}
		if len(m.list) == 0 {
			m.status = finished
			break
		}
	}
	return m.buf
}

func (m *mergeOp) reset(proc *process) {
	m.cleanList(proc)
	m.status = receiving
	if m.buf != nil {
		m.buf.cleanData()
	}
}

func (m *mergeOp) free(proc *process) {
	m.cleanList(proc)
	if m.buf != nil {
		m.buf.clean(proc.mp)
		m.buf = nil
	}
}

func (m *mergeOp) cleanList(proc *process) {
	for _, b := range m.list {
		if b != nil {
			b.clean(proc.mp)
		}
	}
	m.list = nil
}

// serial gives a vector with one key for the columns of each row.
func serial(proc *process, b *batch) (*vector, error) {
	if len(b.vecs) < 2 {
		return nil, errors.New("too few columns")
	}
	out := newVector(proc.mp)
	for i := range b.rows() {
		var key uint64
		for _, v := range b.vecs {
			key = 31*key + v.at(i)
		}
		out.add(key)
	}
	return out, nil
}

// filter finds the rows that have one of the keys.
type filter struct {
	count int
	keys  []byte
}

func keyFilter(proc *process, b *batch) (*filter, error) {
	vec, err := serial(proc, b)
	if err != nil {
		return nil, err
	}
	data, err := vec.marshal()
	if err != nil {
		return nil, err
	}
	return &filter{count: vec.n, keys: data}, nil
}
