package engine

import (
	"context"
	"errors"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/limit"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
)

// refuse describes a request for n bytes that the limit has refused. It is not inlined, as it
// allocates.
//
//go:noinline
func (p *Pool) refuse(n int64) error {
	p.rejected.Add(1)
	return p.limiter.Refusal(p.name, n, p.sharesLimit)
}

// ask adds n bytes, or rejects the request. Without a limit it does nothing.
func (p *Pool) ask(n int64) error {
	if p.limiter == nil || p.limiter.Admit(n) {
		return nil
	}
	return p.refuse(n)
}

// wait is ask that waits for room until ctx ends. The error is that of ctx, or says why the
// request is refused.
func (p *Pool) wait(ctx context.Context, n int64) error {
	if p.limiter == nil {
		return ctx.Err()
	}
	err := p.limiter.Wait(ctx, n)
	if errors.Is(err, limit.ErrLimit) {
		p.rejected.Add(1)
	}
	return err
}

// CapacityOf returns what New(size) is charged: the capacity of its slice.
func (p *Pool) CapacityOf(size int) int {
	size = max(size, 0)
	if s := p.size.Load(); s != nil && s.serves(size) {
		return s.Capacity(s.classOf(size))
	}
	return size
}

// Counted returns the capacity of the class in which a slice of capacity n counts: n if there is
// none.
func (p *Pool) Counted(n int) int {
	if s := p.size.Load(); s != nil && s.least <= n && n <= s.most {
		return s.Capacity(s.Floor(n))
	}
	return n
}

// Charge counts a slice of the given capacity as in use. It is for slices that
// [Objects.Take] or NewOwned handed out: all other functions count what they hand out.
func (p *Pool) Charge(capacity int) { p.Settle(0, capacity) }

// discharge counts a slice of the given capacity as released.
func (p *Pool) discharge(capacity int) {
	if p.limiter != nil {
		p.limiter.Give(int64(capacity))
	}
}

// Limited reports whether p has a limit.
func (p *Pool) Limited() bool { return p.limiter != nil }

// Admit counts n bytes, as a slice for size does, if the limit allows it. The caller passes them to
// Settle when it has the slice.
func (p *Pool) Admit(size int) (n int64, err error) {
	n = int64(p.CapacityOf(size))
	return n, p.ask(n)
}

// AdmitWaiting is Admit that waits for room until ctx ends.
func (p *Pool) AdmitWaiting(ctx context.Context, size int) (n int64, err error) {
	n = int64(p.CapacityOf(size))
	return n, p.wait(ctx, n)
}

// Settle counts a slice of the given capacity instead of n bytes. They differ if
// Reconfigure has changed the classes, or if the slice was not made and the capacity is 0.
func (p *Pool) Settle(n int64, capacity int) {
	if p.limiter == nil {
		return
	}
	if n -= int64(capacity); n > 0 {
		p.limiter.Give(n)
	} else if n < 0 {
		p.limiter.Take(-n)
	}
}

// TryNew is New if the limit allows it, and otherwise returns ErrLimit.
func (p *Pool) TryNew(size int) ([]byte, error) {
	if p.limiter == nil {
		return p.New(size), nil
	}
	n, err := p.Admit(size)
	if err != nil {
		return nil, err
	}
	return p.NewAdmitted(size, n), nil
}

// NewAdmitted is New for a request for which n bytes were counted. If n is 0, it counts the slice itself.
func (p *Pool) NewAdmitted(size int, n int64) (b []byte) {
	if uintptr(size)-1 < p.newLimit.Load() { // not for size 0
		k := p.grid.ClassWith(max(uint32(size-1), uint32(p.newMask.Load())))
		if c := p.head(k).Capacity; int64(c) == n || n == 0 {
			if x := p.takeHere(&p.row, k, size, n); x.Some() {
				if x.capacity == c { // or lendHere has counted it
					p.Settle(n, int(c))
				}
				return x.Slice(size, x.capacity)
			}
		}
	}
	r := &request{size: size, lend: true, counted: n}
	defer func() { p.Settle(r.counted, cap(b)) }() // deferred: serve may panic
	return p.serve(r)
}

// releaseLimited is Release of a pool with a limit.
func (p *Pool) releaseLimited(buf []byte) bool {
	if rt.Pinned {
		pid := rt.Pin()
		c := p.head(p.grid.ClassWith(uint32(cap(buf) - 1)))
		if r := c.Record(pid); r != nil && c.Capacity == uintptr(cap(buf)) && check.Displaced(buf) == 0 && r.Push(magazine.ItemOf(buf)) {
			rt.Unpin()
			p.limiter.Give(int64(c.Capacity)) // last: who is served finds buf idle
			return true
		}
		rt.Unpin()
	}
	return p.releaseSlow(buf[:0])
}

// Acquire is TryNew that waits for room until ctx ends.
func (p *Pool) Acquire(ctx context.Context, size int) ([]byte, error) {
	n, err := p.AdmitWaiting(ctx, size)
	switch {
	case err != nil:
		return nil, err
	case p.limiter == nil:
		return p.New(size), nil
	}
	return p.NewAdmitted(size, n), nil
}
