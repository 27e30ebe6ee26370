package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/octet-go/octet/internal/rt"
)

// ErrLimit is the error of requests for admission that the limit does not allow.
var ErrLimit = errors.New("bytespool: limit on memory in use")

// A limitError says what a request asked for, and why it was rejected.
type limitError struct {
	name               string
	asked, used, limit int64
	why                string
}

func (e *limitError) Error() string {
	name := "a pool without a name"
	if e.name != "" {
		name = fmt.Sprintf("pool %q", e.name)
	}
	return fmt.Sprintf("bytespool: %s: %d bytes asked for, %d of %d in use or reserved: %s", name, e.asked, e.used, e.limit, e.why)
}

func (e *limitError) Is(target error) bool { return target == ErrLimit }

// CapacityOf returns what New(size) is charged: the capacity of its slice.
func (p *Pool) CapacityOf(size int) int {
	size = max(size, 0)
	if s := p.size.Load(); s != nil && s.serves(size) {
		return s.capacity(s.classOf(size))
	}
	return p.grid.outside(size)
}

// TryNew is New if the limit allows it, and otherwise returns ErrLimit.
func (p *Pool) TryNew(size int) ([]byte, error) {
	l := p.limiter
	if l == nil {
		return p.New(size), nil
	}
	if rt.Pinned {
		var c *Head
		switch {
		case uintptr(size) <= p.newPinned.Load():
			c = &p.heads[bits.Len32(uint32(uintptr(size-1)|p.newMask.Load()))%plainClasses]
		case uintptr(size) <= p.newStepped.Load():
			c = &p.stepped[p.grid.stepWith(max(uint32(size-1), uint32(p.newMask.Load())))%steppedClasses]
		default:
			return p.tryNewSlow(size)
		}
		pid, credits := rt.Pin(), l.credits
		if r := c.Record(pid); r != nil && uint(pid) < uint(len(credits)) {
			left := &credits[pid].left
			if *left >= uint64(c.capacity) {
				if x := r.pop(); x.some() {
					rt.StoreRelease(left, *left-uint64(c.capacity)) // last: a sweep must see one of the two
					rt.Unpin()
					return x.slice(size, c.capacity), nil
				}
			}
		}
		rt.Unpin()
	}
	return p.tryNewSlow(size)
}

// tryNewSlow is TryNew without the fast path.
func (p *Pool) tryNewSlow(size int) ([]byte, error) {
	paid := int64(p.CapacityOf(size))
	if err := p.limiter.admit(paid); err != nil {
		return nil, err
	}
	return p.newSlow(size, paid), nil
}

// Acquire is TryNew that waits for room until ctx ends.
func (p *Pool) Acquire(ctx context.Context, size int) ([]byte, error) {
	paid := int64(p.CapacityOf(size))
	if err := p.limiter.wait(ctx, paid); err != nil {
		return nil, err
	}
	return p.newSlow(size, paid), nil
}

// Admit sets aside what New(size) is charged, if the limit allows it. The caller passes
// the result to the operation that takes the slice.
func (p *Pool) Admit(size int) (paid int64, err error) {
	if p.limiter == nil {
		return 0, nil
	}
	paid = int64(p.CapacityOf(size))
	return paid, p.limiter.admit(paid)
}

// LimitStats returns how the limit is used.
func (p *Pool) LimitStats() LimitStats {
	if p.limiter == nil {
		return LimitStats{}
	}
	return p.limiter.read()
}

// Forget stops counting what is in use now against the limit, and returns how many bytes
// that was.
func (p *Pool) Forget() int64 {
	if p.limiter == nil {
		return 0
	}
	return p.limiter.forget()
}

// A Reservation has bytes that were set aside.
type Reservation struct {
	pool *Pool
	left int64 // guarded by limiter.mu
}

// TryReserve sets aside what a slice of n bytes is charged, if the limit allows it, and
// Reserve waits for that.
func (p *Pool) TryReserve(n int64) (*Reservation, error) {
	n = p.charge(n)
	if err := p.limiter.admit(n); err != nil {
		return nil, err
	}
	return &Reservation{p, n}, nil
}

func (p *Pool) Reserve(ctx context.Context, n int64) (*Reservation, error) {
	n = p.charge(n)
	if err := p.limiter.wait(ctx, n); err != nil {
		return nil, err
	}
	return &Reservation{p, n}, nil
}

// charge is CapacityOf for a size that may be too large for an int.
func (p *Pool) charge(n int64) int64 {
	if n > math.MaxInt {
		return n
	}
	return int64(p.CapacityOf(int(n)))
}

// New is the pool's New, charged to what is left of r. What that does not cover needs
// admission, as with TryNew.
func (r *Reservation) New(size int) ([]byte, error) {
	l := r.pool.limiter
	if l == nil {
		return r.pool.New(size), nil
	}
	paid := int64(r.pool.CapacityOf(size))
	if err := l.draw(r, paid); err != nil {
		return nil, err
	}
	return r.pool.newSlow(size, paid), nil
}

// draw takes bytes from r, and has the rest admitted.
func (l *limiter) draw(r *Reservation, bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := min(r.left, bytes)
	if more := bytes - from; more > 0 {
		if err := l.admitOrReject(more); err != nil {
			return err
		}
	}
	r.left -= from
	return nil
}

// Release gives back what was not taken from r.
func (r *Reservation) Release() {
	l := r.pool.limiter
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held -= r.left
	r.left = 0
	l.handOn()
}

// reject counts a rejected request and describes it. The caller holds mu.
func (l *limiter) reject(bytes int64, why string) error {
	if !l.near.Load() {
		l.sweep()
	}
	l.stats.Rejected++
	l.until = time.Since(started) + nearPeriod
	return &limitError{l.pool.name, bytes, l.used + l.held + l.unspent, l.limit, why}
}

// A waiter waits for admission.
type waiter struct {
	bytes   int64
	since   time.Duration
	granted bool
	ready   chan struct{} // closed when granted
}

// starving reports whether a waiter has waited so long that nobody may pass it.
func (l *limiter) starving() bool {
	return len(l.queue) > 0 && time.Since(started)-l.queue[0].since >= patience
}

// handOn admits waiters as long as there is room: the newest first, because the client of
// the oldest has likely given up; but the oldest first if it starves. The caller holds
// mu.
func (l *limiter) handOn() {
	for len(l.queue) > 0 {
		i := len(l.queue) - 1
		if l.starving() {
			i = 0
		}
		w := l.queue[i]
		if w.bytes > l.room(l.limit) {
			return
		}
		l.queue = slices.Delete(l.queue, i, i+1)
		l.held += w.bytes
		l.stats.Admitted++
		w.granted = true
		close(w.ready)
	}
	l.leaveNear()
}

// admit sets bytes aside, or rejects the request. Without a limit it does nothing.
func (l *limiter) admit(bytes int64) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.admitOrReject(bytes)
}

// admitOrReject is admit for a caller that holds mu.
func (l *limiter) admitOrReject(bytes int64) error {
	switch {
	case bytes > l.limit:
		return l.reject(bytes, "it is more than the limit")
	case !l.admitLocked(bytes):
		return l.reject(bytes, "there is no room")
	}
	return nil
}

// wait sets bytes aside, and waits for room until ctx ends.
func (l *limiter) wait(ctx context.Context, bytes int64) error {
	if err := ctx.Err(); err != nil || l == nil {
		return err
	}
	w, err := l.line(bytes)
	if w == nil {
		return err
	}
	select {
	case <-w.ready:
	case <-ctx.Done():
	}
	return l.leave(w, ctx.Err())
}

// line sets bytes aside if there is room, and otherwise adds a waiter to the queue and
// returns it.
func (l *limiter) line(bytes int64) (*waiter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes > l.limit || len(l.queue) >= l.most {
		return nil, l.admitOrReject(bytes)
	}
	if l.admitLocked(bytes) {
		return nil, nil
	}
	w := &waiter{bytes: bytes, since: time.Since(started), ready: make(chan struct{})}
	l.queue = append(l.queue, w)
	l.tick()
	return w, nil
}

// leave ends the wait of w. If err, the error of its context, is not nil, w gives back what
// it was granted.
func (l *limiter) leave(w *waiter, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Waited += time.Since(started) - w.since
	if err == nil {
		return nil
	}
	if w.granted {
		l.held -= w.bytes
		l.stats.Admitted--
	} else {
		l.queue = slices.DeleteFunc(l.queue, func(x *waiter) bool { return x == w })
	}
	l.handOn()
	return err
}
