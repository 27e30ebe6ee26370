package engine

import (
	"context"
	"math"

	"github.com/octet-go/octet/internal/limit"
)

// A Reservation has bytes that count although no slice has them yet.
type Reservation struct {
	pool *Pool
	left limit.Reservation
}

// TryReserve makes r, which is zero, a Reservation of what slices of the given sizes count,
// if the limit allows it, and Reserve waits for that.
func (p *Pool) TryReserve(r *Reservation, sizes []int) error {
	n := p.sum(sizes)
	return p.reserve(r, n, p.ask(n))
}

func (p *Pool) Reserve(ctx context.Context, r *Reservation, sizes []int) error {
	n := p.sum(sizes)
	return p.reserve(r, n, p.wait(ctx, n))
}

// sum returns what slices of the given sizes count.
func (p *Pool) sum(sizes []int) (n int64) {
	for _, size := range sizes {
		n += min(int64(p.CapacityOf(size)), math.MaxInt64-n)
	}
	return n
}

// reserve makes r, which is zero, a Reservation of n bytes, or returns err.
func (p *Pool) reserve(r *Reservation, n int64, err error) error {
	if err != nil {
		return err
	}
	if r.pool = p; p.limiter != nil {
		r.left.Hold(p.limiter, n, p)
	}
	return nil
}

// New is the pool's New, charged to what is left of r. What that does not cover needs
// admission, as with TryNew.
func (r *Reservation) New(size int) ([]byte, error) {
	if r.pool.limiter == nil {
		return r.pool.New(size), nil
	}
	n := int64(r.pool.CapacityOf(size))
	if !r.left.Draw(n) {
		return nil, r.pool.refuse(n)
	}
	return r.pool.NewAdmitted(size, n), nil
}

// Release gives back what was not taken from r.
func (r *Reservation) Release() { r.left.Release() }
