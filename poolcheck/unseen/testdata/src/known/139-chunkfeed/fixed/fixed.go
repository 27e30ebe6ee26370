// Package fixed serves the results of queries as streams of record batches.
package fixed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var columns = sync.Pool{New: func() any {
	b := make([]byte, 0, 16<<10)
	return &b
}}

// A record is a batch of rows, which those who hold it count.
type record struct {
	refs atomic.Int64
	rows int
	data *[]byte
}

func newRecord(rows, size int) *record {
	data := columns.Get().(*[]byte)
	if cap(*data) < size {
		*data = make([]byte, size)
	}
	*data = (*data)[:size]
	r := &record{rows: rows, data: data}
	r.refs.Store(1)
	return r
}

func (r *record) retain() { r.refs.Add(1) }

func (r *record) release() {
	if r.refs.Add(-1) == 0 {
		columns.Put(r.data)
		r.data = nil
	}
}

type schema struct{ names []string }

// A recordReader holds the record that it read last until the next or until it
// is released itself.
type recordReader struct {
	src io.Reader
	rec *record
	err error
}

func (r *recordReader) next() bool {
	if r.rec != nil {
		r.rec.release()
		r.rec = nil
	}
	var head [8]byte
	if _, err := io.ReadFull(r.src, head[:]); err != nil {
		if err != io.EOF {
			r.err = err
		}
		return false
	}
	rows := int(binary.LittleEndian.Uint32(head[:]))
	size := int(binary.LittleEndian.Uint32(head[4:]))
	r.rec = newRecord(rows, size)
	if _, err := io.ReadFull(r.src, *r.rec.data); err != nil {
		r.err = err
		return false
	}
	return true
}

func (r *recordReader) release() {
	if r.rec != nil {
		r.rec.release()
		r.rec = nil
	}
}

// A streamChunk is a piece of a result, or the error that ends it.
type streamChunk struct {
	data *record
	desc string
	meta []byte
	err  error
}

// feed sends the records of a reader and closes the channel.
func feed(rdr *recordReader, ch chan<- streamChunk) {
	defer close(ch)
	defer rdr.release()
	for rdr.next() {
		rec := rdr.rec
		rec.retain()
		ch <- streamChunk{data: rec}
	}
	if rdr.err != nil {
		ch <- streamChunk{err: rdr.err}
	}
}

type stream interface {
	Context() context.Context
	Send(head, body []byte) error
}

// A recordWriter writes records to a stream, the schema before the first.
type recordWriter struct {
	out     stream
	sc      *schema
	started bool
	desc    string
}

func newRecordWriter(out stream, sc *schema) *recordWriter {
	return &recordWriter{out: out, sc: sc}
}

func (w *recordWriter) start() error {
	if w.started {
		return nil
	}
	w.started = true
	return w.out.Send([]byte(fmt.Sprint(w.sc.names)), nil)
}

func (w *recordWriter) write(rec *record, meta []byte) error {
	if err := w.start(); err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32([]byte(w.desc), uint32(rec.rows))
	w.desc = ""
	return w.out.Send(append(head, meta...), *rec.data)
}

func (w *recordWriter) close() error { return w.start() }

// A service answers the requests that are known. Who gets a channel from it
// releases the records that come.
type service interface {
	statement(ctx context.Context, handle string) (*schema, <-chan streamChunk, error)
	tables(ctx context.Context, catalog string) (*schema, <-chan streamChunk, error)
}

type fileService struct {
	open func(name string) (*schema, io.Reader, error)
}

func (s *fileService) statement(ctx context.Context, handle string) (*schema, <-chan streamChunk, error) {
	sc, src, err := s.open(handle)
	if err != nil {
		return nil, nil, err
	}
	ch := make(chan streamChunk)
	go feed(&recordReader{src: src}, ch)
	return sc, ch, nil
}

func (s *fileService) tables(ctx context.Context, catalog string) (*schema, <-chan streamChunk, error) {
	sc, src, err := s.open(catalog + "/tables")
	if err != nil {
		return nil, nil, err
	}
	ch := make(chan streamChunk, 8)
	go feed(&recordReader{src: src}, ch)
	return sc, ch, nil
}

type ticket struct{ command, arg string }

var errCommand = errors.New("requested command is invalid")

type server struct{ srv service }

func (f *server) doGet(t ticket, out stream) (err error) {
	var (
		cc <-chan streamChunk
		sc *schema
	)
	switch t.command {
	case "statement":
		sc, cc, err = f.srv.statement(out.Context(), t.arg)
	case "tables":
		sc, cc, err = f.srv.tables(out.Context(), t.arg)
	default:
		return errCommand
	}
	if err != nil {
		return err
	}

	defer func() {
		for chunk := range cc {
			if chunk.data != nil {
				chunk.data.release()
			}
		}
	}()

	wr := newRecordWriter(out, sc)
	defer wr.close()

	for chunk := range cc {
		if chunk.err != nil {
			return chunk.err
		}
		wr.desc = chunk.desc
		err = wr.write(chunk.data, chunk.meta)
		chunk.data.release()
		if err != nil {
			return err
		}
	}
	return err
}
