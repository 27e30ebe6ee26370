package engine

import (
	"context"
	"math"
	"sync"

	"github.com/octet-go/octet/internal/check"
)

// A Reservation has bytes that count although no slice has them yet.
type Reservation struct {
	pool *Pool
	mu   sync.Mutex
	left int64
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

// reserve makes r, which is zero, a Reservation of n bytes, or returns err. Package check
// tracks it as long as it has any.
func (p *Pool) reserve(r *Reservation, n int64, err error) error {
	if err != nil {
		return err
	}
	r.pool = p
	if p.limiter != nil && n > 0 {
		r.left = n
		p.limiter.reserved.Add(n)
		if check.Strict() {
			check.Track(r, (*Reservation)(nil), "Reservation", int(n), p)
		}
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
	if err := r.draw(n); err != nil {
		return nil, err
	}
	return r.pool.NewAdmitted(size, n), nil
}

// draw takes n bytes from r, and has what it lacks admitted.
func (r *Reservation) draw(n int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.left {
		if err := r.pool.ask(n - r.left); err != nil {
			return err
		}
	}
	r.useLocked(min(n, r.left))
	return nil
}

func (r *Reservation) useLocked(n int64) {
	if n > 0 {
		r.pool.limiter.reserved.Add(-n)
		if r.left -= n; r.left == 0 {
			check.End(r, (*Reservation)(nil))
		}
	}
}

// Release gives back what was not taken from r.
func (r *Reservation) Release() {
	r.mu.Lock()
	n := r.left
	r.useLocked(n)
	r.mu.Unlock()
	if n > 0 {
		r.pool.limiter.give(n)
	}
}
