// Package bug asks workers which chunks of a series can be left out.
package bug

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

type chunkRef struct {
	from, through int64
	sum           uint32
}

func (a chunkRef) compare(b chunkRef) int { return int(a.from - b.from) }

// An output has chunks of a series that can be left out. Several workers may give
// some of the same series.
type output struct {
	fingerprint uint64
	removals    []chunkRef
}

// A slicePool has slices of sizes from small to large, each twice the one before.
type slicePool[T any] struct {
	sizes   []int
	buckets []sync.Pool
}

func newSlicePool[T any](small, large int) *slicePool[T] {
	p := new(slicePool[T])
	for size := small; size <= large; size *= 2 {
		p.sizes = append(p.sizes, size)
	}
	p.buckets = make([]sync.Pool, len(p.sizes))
	return p
}

func (p *slicePool[T]) Get(n int) []T {
	for i, size := range p.sizes {
		if n > size {
			continue
		}
		if s, ok := p.buckets[i].Get().([]T); ok {
			return s
		}
		return make([]T, 0, size)
	}
	return make([]T, 0, n)
}

func (p *slicePool[T]) Put(s []T) {
	clear(s)
	for i, size := range slices.Backward(p.sizes) {
		if cap(s) >= size {
			p.buckets[i].Put(s[:0])
			return
		}
	}
}

var outputPool = newSlicePool[output](64, 64<<10)

type task struct {
	ctx     context.Context
	series  []uint64
	outputs []output
	results chan output
	done    chan struct{}
	err     *error // of the workers
}

func newTask(ctx context.Context, series []uint64) task {
	return task{ctx: ctx, series: series, results: make(chan output), done: make(chan struct{}), err: new(error)}
}

// A queue hands tasks to workers, which close results and then done.
type queue interface {
	enqueue(tenant string, t task) error
}

type gateway struct{ queue queue }

type request struct {
	tenant string
	series map[uint64][]chunkRef
}

var errNoSeries = errors.New("no series")

func (g *gateway) filter(ctx context.Context, req *request) (map[uint64][]chunkRef, error) {
	if len(req.series) == 0 {
		return nil, errNoSeries
	}
	var series []uint64
	for fingerprint := range req.series {
		series = append(series, fingerprint)
	}
	slices.Sort(series)

	t := newTask(ctx, series)
	t.outputs = outputPool.Get(len(series))
	defer outputPool.Put(t.outputs)

	if err := g.queue.enqueue(req.tenant, t); err != nil {
		return nil, fmt.Errorf("enqueuing: %w", err)
	}
	finished := make(chan task, 1)
	go g.consume(ctx, t, finished)
	t = <-finished
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := *t.err; err != nil {
		return nil, fmt.Errorf("filtering: %w", err)
	}
	return without(req, t.outputs), nil
}

// consume collects the outputs of a task until its workers are done. When the
// request has ended it only drains them.
func (g *gateway) consume(ctx context.Context, t task, finished chan<- task) {
	for out := range t.results {
		if ctx.Err() != nil {
			continue
		}
		if !slices.IsSortedFunc(out.removals, chunkRef.compare) {
			slices.SortFunc(out.removals, chunkRef.compare)
		}
		t.outputs = append(t.outputs, out)
	}
	<-t.done
	finished <- t
}

func without(req *request, outputs []output) map[uint64][]chunkRef {
	kept := make(map[uint64][]chunkRef)
	for fingerprint, refs := range req.series {
		kept[fingerprint] = slices.DeleteFunc(slices.Clone(refs), func(ref chunkRef) bool {
			return slices.ContainsFunc(outputs, func(out output) bool {
				return out.fingerprint == fingerprint && slices.Contains(out.removals, ref)
			})
		})
	}
	return kept
}
