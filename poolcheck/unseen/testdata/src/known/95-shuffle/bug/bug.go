// Package bug sends the rows of a query to those who are to go on with them.
package bug

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"log"
	"sync"
)

const maxRows = 8192

var (
	errTooManyRows = errors.New("batch has too many rows")
	errRagged      = errors.New("columns differ in length")
)

type vector struct{ values []int64 }

// union appends the values at the selected rows of w.
func (v *vector) union(w *vector, rows []int) error {
	if len(v.values)+len(rows) > maxRows {
		return errTooManyRows
	}
	for _, row := range rows {
		v.values = append(v.values, w.values[row])
	}
	return nil
}

// A batch is some rows, column by column.
type batch struct {
	index int
	vecs  []*vector
}

var emptyBatch = &batch{}

func (b *batch) Length() int {
	if len(b.vecs) == 0 {
		return 0
	}
	return len(b.vecs[0].values)
}

// A process is what the operators of a pipeline share. An operator owns the input that
// it finds, and leaves its output there for the next one.
type process struct {
	ctx     context.Context
	input   *batch
	vectors sync.Pool
}

func newProcess(ctx context.Context) *process {
	p := &process{ctx: ctx}
	p.vectors.New = func() any { return &vector{values: make([]int64, 0, maxRows)} }
	return p
}

func (p *process) newBatch(index, columns int) *batch {
	b := &batch{index: index, vecs: make([]*vector, columns)}
	for i := range b.vecs {
		b.vecs[i] = p.vectors.Get().(*vector)
	}
	return b
}

// putBatch gives the columns of a batch back.
func (p *process) putBatch(b *batch) {
	if b == emptyBatch {
		return
	}
	for _, v := range b.vecs {
		v.values = v.values[:0]
		p.vectors.Put(v)
	}
	b.vecs = nil
}

type operator interface {
	Call(p *process) (done bool, err error)
	Free(p *process)
}

// A shuffle collects rows for each receiver by the hash of a column.
type shuffle struct {
	column  int
	sels    [][]int
	batches []*batch
}

func newShuffle(column, receivers int) *shuffle {
	return &shuffle{column: column, sels: make([][]int, receivers), batches: make([]*batch, receivers)}
}

func (s *shuffle) Call(p *process) (bool, error) {
	bat := p.input
	p.input = emptyBatch
	if bat == nil {
		return !s.sendOne(p), nil
	}
	if err := s.collect(p, bat); err != nil {
		return false, err
	}
	s.sendOne(p)
	return false, nil
}

func (s *shuffle) collect(p *process, bat *batch) error {
	defer p.putBatch(bat)
	for i := range s.sels {
		s.sels[i] = s.sels[i][:0]
	}
	for row := range bat.Length() {
		i := int(uint64(bat.vecs[s.column].values[row]) * 0x9e3779b97f4a7c15 % uint64(len(s.sels)))
		s.sels[i] = append(s.sels[i], row)
	}
	for i, rows := range s.sels {
		if len(rows) == 0 {
			continue
		}
		if s.batches[i] == nil {
			s.batches[i] = p.newBatch(i, len(bat.vecs))
		}
		for j, v := range s.batches[i].vecs {
			if err := v.union(bat.vecs[j], rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendOne leaves the longest batch for the next operator, if there is one.
func (s *shuffle) sendOne(p *process) bool {
	longest, size := -1, 0
	for i, b := range s.batches {
		if b != nil && b.Length() > size {
			longest, size = i, b.Length()
		}
	}
	if longest < 0 {
		return false
	}
	p.input = s.batches[longest]
	s.batches[longest] = nil
	return true
}

func (s *shuffle) Free(p *process) {
	s.sels = nil
}

// A register is a receiver in the same process, which owns what it gets.
type register struct {
	ctx   context.Context
	ch    chan<- *batch
	index int
}

type messageWriter interface {
	Write(ctx context.Context, data []byte, checksum uint32) error
}

// A session is a receiver on another node.
type session struct {
	conn  messageWriter
	index int
}

func encode(b *batch) ([]byte, error) {
	data := binary.AppendUvarint(nil, uint64(len(b.vecs)))
	for _, v := range b.vecs {
		if len(v.values) != b.Length() {
			return nil, errRagged
		}
		for _, n := range v.values {
			data = binary.AppendVarint(data, n)
		}
	}
	return data, nil
}

// A dispatch sends each batch to the receiver that has its index.
type dispatch struct {
	locals  []*register
	remotes []*session
}

func (d *dispatch) Call(p *process) (bool, error) {
	bat := p.input
	p.input = nil
	if bat.Length() == 0 {
		p.putBatch(bat)
		return false, nil
	}
	return false, d.sendToIndex(p, bat)
}

func (d *dispatch) sendToIndex(p *process, bat *batch) error {
	for _, reg := range d.locals {
		if reg.index == bat.index {
			select {
			case <-reg.ctx.Done():
				log.Println("receiver", reg.index, "is gone")
			case reg.ch <- bat:
			}
			return nil
		}
	}
	for _, s := range d.remotes {
		if s.index == bat.index {
			data, err := encode(bat)
			if err != nil {
				return err
			}
			return s.conn.Write(p.ctx, data, crc32.ChecksumIEEE(data))
		}
	}
	return nil
}

func (d *dispatch) Free(p *process) {}

// run gives the operators what next returns until one of them is done.
func run(p *process, next func(p *process) (*batch, error), ops ...operator) error {
	defer func() {
		for _, op := range ops {
			op.Free(p)
		}
	}()
	for {
		bat, err := next(p)
		if err != nil {
			return err
		}
		p.input = bat
		for _, op := range ops {
			if done, err := op.Call(p); err != nil || done {
				return err
			}
		}
	}
}
