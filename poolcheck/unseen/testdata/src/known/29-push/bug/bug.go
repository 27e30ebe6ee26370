// Package bug takes requests to write series and hands them to several stores.
package bug

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

type label struct{ name, value string }

type series struct {
	labels  []label
	samples []float64
}

var seriesPool = sync.Pool{New: func() any {
	return &series{labels: make([]label, 0, 20), samples: make([]float64, 0, 10)}
}}

var slicePool = sync.Pool{New: func() any {
	s := make([]*series, 0, 100)
	return &s
}}

// reuseSlice puts the series and their slice back.
func reuseSlice(s *[]*series) {
	for i, ts := range *s {
		clear(ts.labels)
		ts.labels = ts.labels[:0]
		ts.samples = ts.samples[:0]
		seriesPool.Put(ts)
		(*s)[i] = nil
	}
	*s = (*s)[:0]
	slicePool.Put(s)
}

type writeRequest struct{ series *[]*series }

// newRequest decodes a message. Push takes the request over.
func newRequest(msg message) *writeRequest {
	s := slicePool.Get().(*[]*series)
	for msg.next() {
		ts := seriesPool.Get().(*series)
		ts.labels = msg.appendLabels(ts.labels)
		ts.samples = msg.appendSamples(ts.samples)
		*s = append(*s, ts)
	}
	return &writeRequest{series: s}
}

type message interface {
	next() bool
	appendLabels([]label) []label
	appendSamples([]float64) []float64
}

type limits struct {
	inFlight   int64
	clients    int64
	replicated bool
}

var (
	errTooMany   = errors.New("too many requests")
	errRate      = errors.New("rate limit exceeded")
	errDuplicate = errors.New("sample of another replica")
)

type store interface {
	write(ctx context.Context, part []*series) error
}

type distributor struct {
	stores   []store
	limits   limits
	inFlight atomic.Int64
	clients  atomic.Int64
	tenantOf func(context.Context) (string, error)
	accept   func(ctx context.Context, tenant string, labels []label) error
	validate func(tenant string, ts *series) error
	allow    func(tenant string, n int) bool
}

func (d *distributor) Push(ctx context.Context, req *writeRequest) error {
	tenant, err := d.tenantOf(ctx)
	if err != nil {
		return err
	}

	inFlight := d.inFlight.Add(1)
	defer d.inFlight.Add(-1)
	if d.limits.inFlight > 0 && inFlight > d.limits.inFlight {
		return errTooMany
	}
	if d.limits.clients > 0 && d.clients.Load() > d.limits.clients {
		return errTooMany
	}

	if d.limits.replicated && len(*req.series) > 0 {
		if err := d.accept(ctx, tenant, (*req.series)[0].labels); err != nil {
			reuseSlice(req.series)
			if errors.Is(err, errDuplicate) {
				return nil
			}
			return err
		}
	}

	keys, valid, samples, firstErr, err := d.prepare(ctx, tenant, req)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		reuseSlice(req.series)
		return firstErr
	}
	if !d.allow(tenant, samples) {
		reuseSlice(req.series)
		return fmt.Errorf("%w: %d samples of %s", errRate, samples, tenant)
	}
	if err := d.batch(ctx, req, keys, valid); err != nil {
		return err
	}
	return firstErr
}

// prepare tells which store has each of the series that are valid.
func (d *distributor) prepare(ctx context.Context, tenant string, req *writeRequest) (keys []int, valid []*series, samples int, firstErr, err error) {
	for i, ts := range *req.series {
		if err := ctx.Err(); err != nil {
			return nil, nil, 0, nil, err
		}
		if err := d.validate(tenant, ts); err != nil {
			if firstErr == nil {
				firstErr = err
			}
			continue
		}
		keys = append(keys, i%len(d.stores))
		valid = append(valid, ts)
		samples += len(ts.samples)
	}
	return keys, valid, samples, firstErr, nil
}

// batch returns with the first error, and puts the request back when all stores
// are done with it.
func (d *distributor) batch(ctx context.Context, req *writeRequest, keys []int, valid []*series) error {
	parts := make([][]*series, len(d.stores))
	for i, k := range keys {
		parts[k] = append(parts[k], valid[i])
	}
	var wg sync.WaitGroup
	errs := make(chan error, len(d.stores))
	for k, st := range d.stores {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d.clients.Add(1)
			defer d.clients.Add(-1)
			errs <- st.write(context.WithoutCancel(ctx), parts[k])
		}()
	}
	go func() {
		wg.Wait()
		reuseSlice(req.series)
	}()
	for range d.stores {
		select {
		case err := <-errs:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
