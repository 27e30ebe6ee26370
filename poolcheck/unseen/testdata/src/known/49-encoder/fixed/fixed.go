// Package fixed adds rows to the sections of a table.
package fixed

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	errColumns = errors.New("wrong number of columns")
	errEmpty   = errors.New("no columns")
)

type row []string

// An encoder encodes rows of some columns.
type encoder struct {
	w       io.Writer
	columns []string
	buf     []byte
	rows    int
}

func newEncoder(w io.Writer, columns []string) (*encoder, error) {
	if len(columns) == 0 {
		return nil, errEmpty
	}
	return &encoder{w: w, columns: columns}, nil
}

func (w *encoder) Reset(to io.Writer) {
	w.w = to
	w.buf = w.buf[:0]
	w.rows = 0
}

func (w *encoder) encode(rows []row) (int, error) {
	for i, r := range rows {
		if len(r) != len(w.columns) {
			return i, errColumns
		}
		for _, value := range r {
			w.buf = binary.AppendUvarint(w.buf, uint64(len(value)))
			w.buf = append(w.buf, value...)
		}
		w.rows++
	}
	return len(rows), nil
}

func (w *encoder) Close() error {
	head := binary.AppendUvarint(nil, uint64(w.rows))
	if _, err := w.w.Write(head); err != nil {
		return err
	}
	_, err := w.w.Write(w.buf)
	return err
}

// A pooledEncoder goes back to the pool of the encoders with its columns.
type pooledEncoder struct {
	pool *sync.Pool
	*encoder
}

type layout struct {
	encoders sync.Map // *sync.Pool by columns
}

func (l *layout) getEncoder(w io.Writer, columns []string) (*pooledEncoder, error) {
	v, _ := l.encoders.LoadOrStore(strings.Join(columns, ","), &sync.Pool{})
	pool := v.(*sync.Pool)
	pooled := pool.Get()
	if pooled == nil {
		rw, err := newEncoder(w, columns)
		if err != nil {
			return nil, err
		}
		return &pooledEncoder{pool: pool, encoder: rw}, nil
	}
	pooled.(*pooledEncoder).Reset(w)
	return pooled.(*pooledEncoder), nil
}

func (l *layout) putEncoder(w *pooledEncoder) {
	w.pool.Put(w)
}

type batch struct {
	columns []string
	rows    []row
}

// merge writes the rows of all batches, which have the same columns.
func (l *layout) merge(out io.Writer, batches ...*batch) error {
	w, err := l.getEncoder(out, batches[0].columns)
	if err != nil {
		return err
	}
	defer l.putEncoder(w)
	for _, b := range batches {
		if _, err := w.encode(b.rows); err != nil {
			return err
		}
	}
	return w.Close()
}

type piece struct {
	tx   atomic.Uint64
	data []byte
}

type section struct {
	mu     sync.Mutex
	least  string
	pieces []*piece
	size   int
}

func (g *section) add(p *piece) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pieces = append(g.pieces, p)
	g.size += len(p.data)
	return g.size
}

type table struct {
	layout   layout
	sections []*section // by their least row
	limit    int
	size     atomic.Int64
	wg       sync.WaitGroup
	compact  func(g *section)
}

// split returns the rows of a batch that each section gets.
func (t *table) split(b *batch) (map[*section]map[int]struct{}, error) {
	if len(t.sections) == 0 {
		return nil, errors.New("no sections")
	}
	rows := make(map[*section]map[int]struct{})
	for i, r := range b.rows {
		g := t.sections[0]
		for _, next := range t.sections[1:] {
			if len(r) > 0 && r[0] >= next.least {
				g = next
			}
		}
		if rows[g] == nil {
			rows[g] = make(map[int]struct{})
		}
		rows[g][i] = struct{}{}
	}
	return rows, nil
}

func (t *table) add(ctx context.Context, tx uint64, b *batch) error {
	if len(b.rows) == 0 {
		return nil
	}
	rows, err := t.split(b)
	if err != nil {
		return fmt.Errorf("split the rows: %w", err)
	}

	buf := bytes.NewBuffer(nil)
	w, err := t.layout.getEncoder(buf, b.columns)
	if err != nil {
		return fmt.Errorf("get an encoder: %w", err)
	}
	defer t.layout.putEncoder(w)

	var pieces []*piece
	for g, indices := range rows {
		select {
		case <-ctx.Done():
			for _, p := range pieces {
				p.tx.Store(0)
			}
			return ctx.Err()
		default:
		}
		for i := range b.rows {
			if _, ok := indices[i]; !ok {
				continue
			}
			if _, err := w.encode(b.rows[i : i+1]); err != nil {
				return fmt.Errorf("write a row: %w", err)
			}
		}
		if err := w.Close(); err != nil {
			return fmt.Errorf("close the encoder: %w", err)
		}
		p := &piece{data: buf.Bytes()}
		p.tx.Store(tx)
		pieces = append(pieces, p)
		if g.add(p) >= t.limit {
			t.wg.Add(1)
			go func() {
				defer t.wg.Done()
				t.compact(g)
			}()
		}
		t.size.Add(int64(len(p.data)))

		buf = bytes.NewBuffer(nil)
		w.Reset(buf)
	}
	return nil
}
