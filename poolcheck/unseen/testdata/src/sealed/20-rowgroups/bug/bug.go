// Package bug reads the row groups of a table with several workers.
package bug

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var columns = sync.Pool{New: func() any { c := make([]int64, 0, 1024); return &c }}

// A part is a column of rows. Whoever uses it has a reference to it, and the
// last one gives the column back.
type part struct {
	tx   uint64
	refs atomic.Int32
	rows *[]int64
}

func newPart(tx uint64, rows []int64) *part {
	p := &part{tx: tx, rows: columns.Get().(*[]int64)}
	*p.rows = append((*p.rows)[:0], rows...)
	p.refs.Store(1)
	return p
}

func (p *part) retain() { p.refs.Add(1) }

func (p *part) release() {
	if p.refs.Add(-1) == 0 {
		columns.Put(p.rows)
		p.rows = nil
	}
}

// A rowGroup is a range of a part. Its receiver releases it.
type rowGroup struct {
	rows []int64
	part *part
}

func (g *rowGroup) release() { g.part.release() }

type releasable interface{ release() }

// A source gives parts and row groups to a callback, which takes over the
// reference to each.
type source interface {
	scan(ctx context.Context, from, tx uint64, callback func(context.Context, any) error) error
}

// A block is the rows that are in memory.
type block struct {
	mu    sync.RWMutex
	parts []*part
}

func (b *block) insert(tx uint64, rows []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts = append(b.parts, newPart(tx, rows))
}

func (b *block) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.parts {
		p.release()
	}
	b.parts = nil
}

const groupSize = 256

func (b *block) scan(ctx context.Context, from, tx uint64, callback func(context.Context, any) error) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, p := range b.parts {
		if p.tx < from || p.tx > tx {
			continue
		}
		if len(*p.rows) <= groupSize {
			p.retain()
			if err := callback(ctx, p); err != nil {
				return err
			}
			continue
		}
		for rest := *p.rows; len(rest) > 0; {
			n := min(groupSize, len(rest))
			p.retain()
			if err := callback(ctx, &rowGroup{rows: rest[:n], part: p}); err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
	return nil
}

type table struct {
	memory  block
	sources []source
}

// collect sends the row groups to a channel.
func (t *table) collect(ctx context.Context, tx uint64, skipSources bool, groups chan<- any) error {
	if err := t.memory.scan(ctx, 0, tx, func(ctx context.Context, v any) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case groups <- v:
			return nil
		}
	}); err != nil {
		return err
	}
	if skipSources {
		return nil
	}
	for _, src := range t.sources {
		if err := src.scan(ctx, 0, tx, func(ctx context.Context, v any) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case groups <- v:
				return nil
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// work calls a callback with rows until there are no more. The callback does
// not keep them.
func work(ctx context.Context, groups <-chan any, callback func([]int64) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case v, ok := <-groups:
			if !ok {
				return nil
			}
			if err := use(v, callback); err != nil {
				return err
			}
		}
	}
}

func use(v any, callback func([]int64) error) error {
	switch g := v.(type) {
	case *part:
		defer g.release()
		return callback(*g.rows)
	case *rowGroup:
		defer g.release()
		return callback(g.rows)
	}
	return errors.New("unknown row group")
}

// iterate reads the table as it was at a transaction.
func (t *table) iterate(ctx context.Context, tx uint64, skipSources bool, callbacks ...func([]int64) error) error {
	if len(callbacks) == 0 {
		return errors.New("no callbacks")
	}
	groups := make(chan any, 4*len(callbacks))
	defer func() {
		// What the workers left.
		for v := range groups {
			if r, ok := v.(releasable); ok {
				r.release()
			}
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, callback := range callbacks {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := work(ctx, groups, callback); err != nil {
				cancel(err)
			}
		}()
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer close(groups)
		if err := t.collect(ctx, tx, skipSources, groups); err != nil {
			cancel(err)
		}
	}()
	wg.Wait()
	return context.Cause(ctx)
}
