// Package bug joins each row of one relation with each row of another.
package bug

import (
	"errors"
	"sync"
)

const batchSize = 8192

var errColumn = errors.New("no such column")

type vector struct{ values []int64 }

// A batch is some rows, column by column.
type batch struct {
	vecs []*vector
	rows int
}

func (b *batch) IsEmpty() bool { return b.rows == 0 }

// A process has the memory that the operators of a query share.
type process struct {
	vectors sync.Pool
	batches sync.Pool
}

func newProcess() *process {
	return &process{
		vectors: sync.Pool{New: func() any { return &vector{values: make([]int64, 0, batchSize)} }},
		batches: sync.Pool{New: func() any { return new(batch) }},
	}
}

func (p *process) getBatch(columns int) *batch {
	b := p.batches.Get().(*batch)
	for range columns {
		b.vecs = append(b.vecs, p.vectors.Get().(*vector))
	}
	return b
}

// putBatch gives a batch back with its columns.
func (p *process) putBatch(b *batch) {
	for _, v := range b.vecs {
		v.values = v.values[:0]
		p.vectors.Put(v)
	}
	clear(b.vecs)
	b.vecs = b.vecs[:0]
	b.rows = 0
	p.batches.Put(b)
}

// An operator returns a batch each time that it is called, and nil at the end. The
// batch remains its own: it is good until the next call.
type operator interface {
	Call(p *process) (*batch, error)
	Free(p *process)
}

// A relation returns some rows at a time, and none at the end. Rows that do not count
// are nil.
type relation interface {
	Columns() int
	Next() (rows [][]int64, more bool, err error)
}

// A scan reads a relation.
type scan struct {
	relation relation
	buf      *batch
}

func (s *scan) Call(p *process) (*batch, error) {
	if s.buf != nil {
		p.putBatch(s.buf)
		s.buf = nil
	}
	rows, more, err := s.relation.Next()
	if err != nil || !more {
		return nil, err
	}
	s.buf = p.getBatch(s.relation.Columns())
	for _, row := range rows {
		if row == nil {
			continue
		}
		for i, v := range s.buf.vecs {
			v.values = append(v.values, row[i])
		}
		s.buf.rows++
	}
	return s.buf, nil
}

func (s *scan) Free(p *process) {
	if s.buf != nil {
		p.putBatch(s.buf)
		s.buf = nil
	}
}

type state int

const (
	building state = iota
	probing
	ended
)

// A column of the result is one of the child or one of the build side.
type column struct {
	build bool
	pos   int
}

// A product joins what its child returns with what the build side has.
type product struct {
	child   operator
	build   operator
	columns int
	result  []column

	state    state
	probeIdx int
	bat      *batch
	inBat    *batch
	resBat   *batch
}

func newProduct(child, build operator, buildColumns int, result []column) *product {
	return &product{child: child, build: build, columns: buildColumns, result: result}
}

func (pr *product) Call(p *process) (*batch, error) {
	for {
		switch pr.state {
		case building:
			if err := pr.buildAll(p); err != nil {
				return nil, err
			}
			pr.state = probing

		case probing:
			if pr.inBat == nil {
				bat, err := pr.child.Call(p)
				if err != nil {
					return nil, err
				}
				pr.inBat = bat
				if pr.inBat == nil {
					pr.state = ended
					continue
				}
				if pr.inBat.IsEmpty() {
					p.putBatch(pr.inBat)
					pr.inBat = nil
					continue
				}
				if pr.bat == nil {
					p.putBatch(pr.inBat)
					pr.inBat = nil
					continue
				}
			}
			return pr.probe(p)

		default:
			return nil, nil
		}
	}
}

// buildAll keeps a copy of all rows of the build side.
func (pr *product) buildAll(p *process) error {
	for {
		bat, err := pr.build.Call(p)
		if err != nil || bat == nil {
			return err
		}
		if bat.IsEmpty() {
			continue
		}
		if pr.bat == nil {
			pr.bat = p.getBatch(pr.columns)
		}
		for i, v := range pr.bat.vecs {
			v.values = append(v.values, bat.vecs[i].values...)
		}
		pr.bat.rows += bat.rows
	}
}

// probe joins the input with as many rows of the build side as make a batch.
func (pr *product) probe(p *process) (*batch, error) {
	if pr.resBat != nil {
		p.putBatch(pr.resBat)
	}
	pr.resBat = p.getBatch(len(pr.result))
	for pr.probeIdx < pr.bat.rows {
		for i, c := range pr.result {
			out := pr.resBat.vecs[i]
			switch {
			case c.build && c.pos < len(pr.bat.vecs):
				value := pr.bat.vecs[c.pos].values[pr.probeIdx]
				for range pr.inBat.rows {
					out.values = append(out.values, value)
				}
			case !c.build && c.pos < len(pr.inBat.vecs):
				out.values = append(out.values, pr.inBat.vecs[c.pos].values...)
			default:
				return nil, errColumn
			}
		}
		pr.resBat.rows += pr.inBat.rows
		pr.probeIdx++
		if pr.resBat.rows >= batchSize {
			return pr.resBat, nil
		}
	}
	pr.probeIdx = 0
	p.putBatch(pr.inBat)
	pr.inBat = nil
	return pr.resBat, nil
}

func (pr *product) Free(p *process) {
	for _, b := range []*batch{pr.bat, pr.resBat} {
		if b != nil {
			p.putBatch(b)
		}
	}
	pr.bat, pr.resBat, pr.inBat = nil, nil, nil
	pr.build.Free(p)
	pr.child.Free(p)
}
