// Package fixed calls endpoints through middleware, with pooled information about
// each call.
package fixed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

type invocation struct {
	method string
	seq    int32
	status error
}

type callStats struct {
	events []time.Time
	panic  any
	err    error
}

type callInfo struct {
	invocation invocation
	stats      callStats
	tags       map[string]string
}

var infos = sync.Pool{New: func() any { return &callInfo{tags: make(map[string]string)} }}

func newInfo(method string, seq int32) *callInfo {
	ci := infos.Get().(*callInfo)
	ci.invocation.method = method
	ci.invocation.seq = seq
	return ci
}

func putInfo(ci *callInfo) {
	if ci == nil {
		return
	}
	ci.invocation = invocation{}
	ci.stats = callStats{events: ci.stats.events[:0]}
	clear(ci.tags)
	infos.Put(ci)
}

type infoKey struct{}

func infoOf(ctx context.Context) *callInfo { return ctx.Value(infoKey{}).(*callInfo) }

type endpoint func(ctx context.Context, req, resp any) error

type middleware func(endpoint) endpoint

var errTimeout = errors.New("timeout")

// withTimeout does not wait for what takes too long.
func withTimeout(d time.Duration) middleware {
	return func(next endpoint) endpoint {
		return func(ctx context.Context, req, resp any) error {
			ctx, cancel := context.WithTimeout(ctx, d)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- next(ctx, req, resp) }()
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return errTimeout
			}
		}
	}
}

type transport interface {
	roundTrip(ctx context.Context, method string, seq int32, req, resp any) error
}

func invoke(t transport) endpoint {
	return func(ctx context.Context, req, resp any) error {
		ci := infoOf(ctx)
		ci.stats.events = append(ci.stats.events, time.Now())
		err := t.roundTrip(ctx, ci.invocation.method, ci.invocation.seq, req, resp)
		ci.stats.events = append(ci.stats.events, time.Now())
		ci.tags["peer"] = fmt.Sprint(t)
		return err
	}
}

type tracer interface {
	finish(ctx context.Context, ci *callInfo, err error)
}

type client struct {
	eps    endpoint
	tracer tracer
	seq    int32
}

func newClient(t transport, tr tracer, mws ...middleware) *client {
	c := &client{eps: invoke(t), tracer: tr}
	for _, mw := range mws {
		c.eps = mw(c.eps)
	}
	return c
}

func (c *client) Call(ctx context.Context, method string, req, resp any) (err error) {
	c.seq++
	ci := newInfo(method, c.seq)
	ctx = context.WithValue(ctx, infoKey{}, ci)
	var reportErr error
	defer func() {
		if p := recover(); p != nil {
			ci.stats.panic = p
			reportErr = fmt.Errorf("panic: %v", p)
		}
		c.tracer.finish(ctx, ci, reportErr)
		// An endpoint that failed may not have ended.
		if reportErr == nil {
			putInfo(ci)
		}
	}()
	reportErr = c.eps(ctx, req, resp)

	if reportErr == nil {
		err = ci.invocation.status
	} else {
		err = reportErr
	}
	return err
}
