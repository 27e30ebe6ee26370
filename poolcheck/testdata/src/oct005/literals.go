package oct005

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A chore is what handlers work on.
type chore struct {
	name string
	args []byte
}

var chores = sync.Pool{New: func() any { return new(chore) }}

type handler func(ctx context.Context, j *chore) error

var errLate = errors.New("too late")

// withDeadline does not wait for handlers that are late.
func withDeadline(d time.Duration, next handler) handler {
	return func(ctx context.Context, j *chore) error {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- next(ctx, j) }()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return errLate
		}
	}
}

type runner struct{ handle handler }

func newRunner(h handler) *runner { return &runner{withDeadline(time.Second, h)} }

// bad: the handler that withDeadline makes may still work on the chore.
func (r *runner) run(ctx context.Context, name string) error {
	j := chores.Get().(*chore)
	defer chores.Put(j) // want "OCT005: .*j.*"
	j.name = name
	return r.handle(ctx, j)
}

// ok: after an error the chore is left to the collector.
func (r *runner) runOrLeave(ctx context.Context, name string) error {
	j := chores.Get().(*chore)
	j.name = name
	err := r.handle(ctx, j)
	if err == nil {
		chores.Put(j)
	}
	return err
}

type choreKey struct{}

type endpoint func(ctx context.Context) error

func inBackground(next endpoint) endpoint {
	return func(ctx context.Context) error {
		go next(ctx)
		return nil
	}
}

// bad: the chore is in the context.
func call(ctx context.Context, e endpoint, name string) error {
	j := chores.Get().(*chore)
	j.name = name
	err := e(context.WithValue(ctx, choreKey{}, j))
	chores.Put(j) // want "OCT005: .*j.*"
	return err
}

type sink func(j *chore)

var last string

// recorder is one of the sinks. Others take over what they are given.
func recorder() sink {
	return func(j *chore) { last = "a chore" }
}

// ok: the sink may be one that takes over the chore.
func pour(s sink, name string) {
	j := chores.Get().(*chore)
	j.name = name
	s(j)
}
