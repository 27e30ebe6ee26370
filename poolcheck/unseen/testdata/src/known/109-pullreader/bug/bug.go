// Package bug reads values from a stream in batches, and one by one.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// A Value is a part of its batch.
type Value struct {
	Type  int
	Bytes []byte
}

// CopyFrom makes v a copy of from, with memory of its own.
func (v *Value) CopyFrom(from *Value) {
	v.Type = from.Type
	v.Bytes = append(v.Bytes[:0], from.Bytes...)
}

// A Batch is a bundle of values. It owns them and their memory, which may be
// used again when its count of references is zero. A new batch has one.
type Batch interface {
	Ref()
	Unref()
	Values() []Value
}

// A Puller produces batches, and a nil one at the end.
type Puller interface {
	Pull() (Batch, error)
}

// A Reader reads values, and a nil one at the end. A value is good until the
// next call.
type Reader interface {
	Read() (*Value, error)
}

type Writer interface {
	Write(*Value) error
}

type batch struct {
	buf  []byte
	refs atomic.Int32
	vals []Value
}

var batchPool = sync.Pool{New: func() any { return new(batch) }}

func newBatch(n int) *batch {
	b := batchPool.Get().(*batch)
	if cap(b.buf) < n {
		b.buf = make([]byte, n)
	}
	b.buf = b.buf[:n]
	b.refs.Store(1)
	b.vals = b.vals[:0]
	return b
}

func (b *batch) Ref()            { b.refs.Add(1) }
func (b *batch) Values() []Value { return b.vals }

func (b *batch) Unref() {
	if refs := b.refs.Add(-1); refs == 0 {
		batchPool.Put(b)
	} else if refs < 0 {
		panic("batch has no references")
	}
}

func (b *batch) parse() error {
	for buf := b.buf; len(buf) > 0; {
		if len(buf) < 2 || len(buf) < 2+int(buf[1]) {
			return io.ErrUnexpectedEOF
		}
		n := 2 + int(buf[1])
		b.vals = append(b.vals, Value{Type: int(buf[0]), Bytes: buf[2:n]})
		buf = buf[n:]
	}
	return nil
}

// A scanner pulls a batch from each frame of a stream. keep tells which values
// are of interest.
type scanner struct {
	r    io.Reader
	keep func(*Value) bool
}

func NewScanner(r io.Reader, keep func(*Value) bool) Puller {
	return &scanner{r: r, keep: keep}
}

func (s *scanner) Pull() (Batch, error) {
	var head [4]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil {
		if err == io.EOF {
			err = nil
		}
		return nil, err
	}
	b := newBatch(int(binary.BigEndian.Uint32(head[:])))
	if _, err := io.ReadFull(s.r, b.buf); err != nil {
		b.Unref()
		return nil, err
	}
	if err := b.parse(); err != nil {
		b.Unref()
		return nil, err
	}
	kept := b.vals[:0]
	for i := range b.vals {
		if s.keep == nil || s.keep(&b.vals[i]) {
			kept = append(kept, b.vals[i])
		}
	}
	b.vals = kept
	return b, nil
}

// WriteBatch writes the values of a batch.
func WriteBatch(w Writer, b Batch) error {
	vals := b.Values()
	for i := range vals {
		if err := w.Write(&vals[i]); err != nil {
			return err
		}
	}
	return nil
}

// WriteBatches writes what it pulls.
func WriteBatches(w Writer, p Puller) error {
	for {
		b, err := p.Pull()
		if b == nil || err != nil {
			return err
		}
		err = WriteBatch(w, b)
		b.Unref()
		if err != nil {
			return err
		}
	}
}

type valueReader struct {
	p     Puller
	batch Batch
	idx   int
}

// NewValueReader returns a reader over what it pulls.
func NewValueReader(p Puller) Reader { return &valueReader{p: p} }

func (r *valueReader) Read() (*Value, error) {
	if r.batch == nil {
		for {
			b, err := r.p.Pull()
			if err != nil || b == nil {
				return nil, err
			}
			if len(b.Values()) == 0 {
				continue
			}
			r.batch = b
			r.idx = 0
			break
		}
	}
	vals := r.batch.Values()
	val := &vals[r.idx]
	r.idx++
	if r.idx == len(vals) {
		r.batch = nil
	}
	return val, nil
}

// tee writes what it reads to several writers.
func tee(r Reader, ws ...Writer) error {
	var failed error
	for {
		v, err := r.Read()
		if v == nil || err != nil {
			return errors.Join(failed, err)
		}
		for _, w := range ws {
			// The others go on if one fails.
			if err := w.Write(v); err != nil && failed == nil {
				failed = err
			}
		}
	}
}
