package limit

import (
	"context"
	"testing"
)

// A pool makes slices within a limit, and leaves them to the collector: the tests are told as its
// users see them.
type pool struct{ limiter *Limit }

type config struct {
	Limit   int64
	Waiters int
}

func newPool(c config) *pool { return &pool{New("", c.Limit, c.Waiters)} }

// limited returns a pool with room for n slices of 4 KiB in use.
func limited(c config, n int) *pool { return newPool(config{int64(n) * 4096, 1024}) }

func onAll(t *testing.T, f func(t *testing.T, c config)) { f(t, config{}) }

func (p *pool) New(size int) []byte {
	p.limiter.Take(int64(size))
	return make([]byte, size)
}

func (p *pool) TryNew(size int) ([]byte, error) {
	if !p.limiter.Admit(int64(size)) {
		return nil, p.limiter.Refusal("", int64(size), false)
	}
	return make([]byte, size), nil
}

func (p *pool) Acquire(ctx context.Context, size int) ([]byte, error) {
	if err := p.limiter.Wait(ctx, int64(size)); err != nil {
		return nil, err
	}
	return make([]byte, size), nil
}

func (p *pool) Release(b []byte) { p.limiter.Give(int64(cap(b))) }

// admitted is TryNew(4096), or nil.
func admitted(t *testing.T, p *pool) []byte {
	b, _ := p.TryNew(4096)
	return b
}

// A reserved is a Reservation that makes slices.
type reserved struct {
	Reservation
	pool *pool
}

func reserve(p *pool, ctx context.Context, sizes ...int) (*reserved, error) {
	n := int64(0)
	for _, size := range sizes {
		n += int64(size)
	}
	if err := p.limiter.Wait(ctx, n); err != nil {
		return nil, err
	}
	r := &reserved{pool: p}
	r.Hold(p.limiter, n, nil)
	return r, nil
}

func (r *reserved) New(size int) ([]byte, error) {
	if !r.Draw(int64(size)) {
		return nil, ErrLimit
	}
	return make([]byte, size), nil
}
