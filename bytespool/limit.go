package bytespool

import (
	"context"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/limit"
)

type limitOption int64

func (o limitOption) apply(c *engine.Config) { c.Limit = int64(o) }

// WithLimit bounds the bytes in use of those who ask for admission, with
// [Pool.TryNew], [Pool.Acquire] or a [Reservation]. At the limit they
// get [ErrLimit] or wait, so that a program sheds load while it still can. The default,
// and what 0 or less means, is no limit.
//
// The pool counts bytes in use and reserved, by capacity: a request counts that of its class,
// or its size where it has none. The limit is exact: a request for admission is refused if
// it would exceed the limit, and only then or for a moment in the turn of one that waits
// (see [Pool.Acquire]). New, Make, Append and the other functions that do not
// ask always succeed; what they take counts against those who do ask, and it alone
// exceeds the limit.
//
// New and Release take about half as long again as without a limit, and TryNew as long as
// New, whether or not the limit is near. All processors share the count, so that pools
// with a limit do not scale as others do: two atomic additions to one word took eight
// times as long on 64 processors as on one (go.dev/issue/17973). Give a limit to pools of
// slices of kilobytes and more.
//
// Each release subtracts the capacity of the slice:
//   - A foreign slice, which was released and never taken, counts as the return of as many
//     bytes in use. The count does not fall below 0.
//   - A slice or a reservation that is lost, neither released nor used any more, counts
//     for good. Stats then shows a limit that is reached, and few
//     releases; package [github.com/octet-go/octet/checked] says where it was acquired.
//   - A slice that a checked mode tracks subtracts what it added, whatever the mode is by
//     then.
//   - Where [Pool.Append] or a Buffer grows, the new array is added, and the old
//     one subtracted when the content has moved. A Buffer that was admitted asks for the new
//     array, and returns ErrLimit where there is no room for it; others do not ask.
//
// Idle memory does not count and comes on top of the limit, so neither trimming nor
// clearing, retention, or [WithSteps] change the count. What has grown, by append for example,
// serves requests for less, and counts in full, as long as no more than a sixteenth of the limit
// is in use then.
func WithLimit(bytes int64) Option { return limitOption(bytes) }

// A Limit bounds the bytes in use of several pools together, which share it by
// [WithSharedLimit]: what is in use in one of them is no room for the others. It is as exact
// as a limit that a pool has for itself (see [WithLimit]), and all who wait for it stand in
// one line: a release in one pool serves the oldest that fits, whichever pool it asks. Make
// one with [NewLimit]. All methods are safe for concurrent use.
type Limit struct{ l *limit.Limit }

// NewLimit returns a Limit of so many bytes, at least 1. Of the options, it takes [WithName]: the name
// stands beside those of pools in errors, Stats, package poolz and contrib/prometheus.
func NewLimit(bytes int64, opts ...Option) *Limit {
	c := engine.Config{}
	for _, o := range opts {
		o.apply(&c)
	}
	return &Limit{limit.New(c.Name, max(bytes, 1), waiters)}
}

// Stats says how the limit is used, by all its pools together.
func (l *Limit) Stats() stats.Limit {
	s := l.l.Stats()
	s.Shared = true
	return s
}

type sharedOption struct{ l *Limit }

func (o sharedOption) apply(c *engine.Config) { c.Shared = o.l.l }

// WithSharedLimit gives the pool a limit that it shares with others. All that [WithLimit]
// says holds for it. Name and size are those of the Limit.
//
// Pools have one limit. [NewPool] panics if they are given this one and another by
// WithLimit: a request would have to be admitted by both, and hold room in one while it
// waits for the other. To keep one pool of several to less, give it a limit of its own, and
// the others a shared one for the rest.
func WithSharedLimit(l *Limit) Option { return sharedOption{l} }

// waiters is how many may wait for a limit at a time. One more is rejected at once.
const waiters = 1024

// ErrLimit is the error of requests for admission that the limit does not allow, for
// [errors.Is]. Its text names the pool, and says how many bytes were asked for, are in
// use, and are allowed.
var ErrLimit = limit.ErrLimit

// TryNew is [Pool.New] if the limit of the pool (see [WithLimit]) allows it,
// and otherwise returns [ErrLimit] at once. Without a limit it always succeeds. The
// slice is released as all others are.
func (p *Pool) TryNew(size int) ([]byte, error) { return p.pool.TryNew(size) }

// Acquire is [Pool.TryNew], but waits for room until ctx ends, and then returns
// the error of ctx. It returns [ErrLimit] at once if 1,024 wait, or if the
// slice is larger than the limit, as TryNew and [Pool.Reserve] do: to wait for it would
// be to stop all others, and it would exceed the limit even alone. To serve such requests one at
// a time, ask for no more than the limit, and take the slice by New once that is admitted. For
// that the limit must be the capacity of a class, or above the largest size:
//
//	r, err := p.Reserve(ctx, min(size, limit))
//	…
//	b := p.New(size)
//
// The oldest waiter that fits is served first. One that does not fit is passed by others,
// in the queue or not, so that a large request beside a slice that is held for long does
// not stop the program. But others could pass it for ever. So within a second the oldest
// waiter has a turn of up to 250 milliseconds in which nobody else is admitted. If nothing
// is held for longer than a turn, it thus waits for 1.25 seconds at most from when it is the
// oldest. If something is, the turn is in vain, and the next one comes after five seconds.
// Turns take a quarter of the time at most, and a twentieth where they are in vain. Make
// large requests with a context that ends, and use a pool of their own for slices that
// are held for long.
//
// In a bubble of [testing/synctest], a waiter is served at once by a release in the same
// bubble. One outside of it is noticed when the waiter's timer fires: after a second or
// more by the clock of the bubble, which passes at once when all in the bubble wait, and
// stands still as long as ctx comes from outside.
func (p *Pool) Acquire(ctx context.Context, size int) ([]byte, error) {
	return p.pool.Acquire(ctx, size)
}

// TryReserve sets aside what slices of the given sizes count, the sum of the
// capacities of their classes, if the limit of the pool allows it, and otherwise returns
// [ErrLimit] at once. It is for work that is to be rejected before it begins, and takes
// its slices later: [Reservation.New] takes them from what was set aside. The caller must
// release the reservation.
func (p *Pool) TryReserve(sizes ...int) (*Reservation, error) {
	r := new(Reservation)
	if err := p.pool.TryReserve(&r.r, sizes); err != nil {
		return nil, err
	}
	return r, nil
}

// Reserve is [Pool.TryReserve], but waits for room as [Pool.Acquire]
// does.
func (p *Pool) Reserve(ctx context.Context, sizes ...int) (*Reservation, error) {
	r := new(Reservation)
	if err := p.pool.Reserve(ctx, &r.r, sizes); err != nil {
		return nil, err
	}
	return r, nil
}

// A Reservation is bytes that were set aside below the limit of a pool. Its methods are
// safe for concurrent use. On a nil Reservation, Release does nothing, and New returns
// [ErrLimit].
type Reservation struct{ r engine.Reservation }

// New is [Pool.New] of the pool, charged to what is left of the reservation.
// What that does not cover needs admission, as with [Pool.TryNew]; without it New
// returns [ErrLimit], and leaves the reservation as it was. The slice is released to the
// pool, before or after the reservation.
func (r *Reservation) New(size int) ([]byte, error) {
	if r == nil {
		return nil, nilReservation{}
	}
	return r.r.New(size)
}

// nilReservation is the error of a Reservation that was not made.
type nilReservation struct{}

func (nilReservation) Error() string { return ErrLimit.Error() + ": the Reservation is nil" }
func (nilReservation) Unwrap() error { return ErrLimit }

// Release gives back what was not taken. To release a Reservation again does nothing.
func (r *Reservation) Release() {
	if r != nil {
		r.r.Release()
	}
}
