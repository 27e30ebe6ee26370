package oct004

import (
	"io"
	"log"
	"sync"
	"sync/atomic"
)

// A countedBatch is freed with its last reference.
type countedBatch struct {
	refs atomic.Int64
	data []byte
}

var countedBatches = sync.Pool{New: func() any { return new(countedBatch) }}

func newCountedBatch() *countedBatch {
	b := countedBatches.Get().(*countedBatch)
	b.refs.Store(1)
	return b
}

func (b *countedBatch) Retain() { b.refs.Add(1) }

func (b *countedBatch) Release() {
	if b.refs.Add(-1) == 0 {
		countedBatches.Put(b)
	}
}

// A Puller hands out batches, each with a reference. A Holder keeps its own.
type Puller interface {
	Pull() (*countedBatch, error)
	Find(name string) *countedBatch
}

// bad: an empty batch is skipped with its reference.
func pullAll(p Puller, w io.Writer) error {
	for {
		b, err := p.Pull() // want "OCT004: b is not released on every path"
		if err != nil || b == nil {
			return err
		}
		if len(b.data) == 0 {
			continue
		}
		_, err = w.Write(b.data)
		b.Release()
		if err != nil {
			return err
		}
	}
}

// A Rows is known by its methods only.
type Rows interface {
	Retain()
	Release()
	Len() int
}

type RowReader interface {
	Read() (Rows, error)
	Current() Rows
}

type RowWriter interface{ Append(Rows) error }

// bad: so is one without rows.
func copyRows(r RowReader, w RowWriter) error {
	for {
		rows, err := r.Read() // want "OCT004: rows is not released on every path"
		if err != nil {
			return err
		}
		if rows.Len() == 0 {
			continue
		}
		err = w.Append(rows)
		rows.Release()
		if err != nil {
			return err
		}
	}
}

// ok: what is found belongs to somebody else, and goes when it is old.
func expire(p Puller, name string) {
	b := p.Find(name)
	if len(b.data) == 0 {
		b.Release()
	}
}

// ok: the caller releases it.
func firstRows(r RowReader) (Rows, error) {
	rows, err := r.Read()
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		rows.Release()
		return nil, io.EOF
	}
	return rows, nil
}

// ok: the current rows are the reader's.
func countRows(r RowReader) int {
	rows := r.Current()
	if rows.Len() > 100 {
		rows.Release()
		return 0
	}
	return rows.Len()
}

// bad: the goroutine has the only reference.
func writeBeside(w io.Writer, p []byte) {
	b := newCountedBatch()
	b.data = append(b.data[:0], p...)
	go func() {
		if _, err := w.Write(b.data); err != nil {
			log.Print(err)
			return // want "OCT004: b is not released where the goroutine fails here"
		}
		b.Release()
	}()
}

// A selfPack goes back to the channel that it came from.
type selfPack struct {
	data []byte
	home chan *selfPack
}

func (p *selfPack) recycle() {
	p.data = p.data[:0]
	p.home <- p
}

// bad: a short pack does not.
func decodePacks(in <-chan *selfPack, out chan<- *selfPack) {
	for p := range in { // want "OCT004: p is not released on every path"
		if len(p.data) < 4 {
			continue
		}
		if p.data[0] == 0 {
			p.recycle()
			continue
		}
		out <- p
	}
}
