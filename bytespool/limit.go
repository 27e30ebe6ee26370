package bytespool

import (
	"context"
	"fmt"
	"time"

	"github.com/octet-go/octet/internal/engine"
)

type limitOption int64

func (o limitOption) apply(c *engine.Config) { c.Limit = int64(o) }

// WithLimit bounds the bytes in use of those who ask for admission, with
// [CapacityPools.TryNew], [CapacityPools.Acquire] or a [Reservation]. At the limit they
// get [ErrLimit] or wait, so that a program sheds load while it still can. The default,
// and what 0 or less means, is no limit.
//
// What counts is capacity: see [CapacityPools.CapacityOf]. New, Make, Append and the
// other functions that do not ask always succeed, and what they take counts against
// those who do ask. So the limit is exceeded only by what New and the like take.
//
// While the limit is far, New and Release cost what they cost without one, and TryNew
// little more. Near it (from 7/8 of the limit, until less than 3/4 are in use for some
// milliseconds) each operation takes a lock. A request may be rejected early, by a 32nd
// of the limit at most, because processors keep small credits. A processor gets none
// that is smaller than the slices that it asks for: a limit of 8 slices is exact on any
// machine.
//
// A slice that is lost, neither used any more nor released, counts until the program
// ends. Stats then shows a limit that is reached, and few releases; package
// [github.com/octet-go/octet/checked] says where lost slices were acquired; and
// [CapacityPools.Forget] makes them count no more. Conversely, a slice from elsewhere
// that is released into the pools hides one that is in use: it lowers what counts in
// its class, but not below 0.
//
// A limit does not bound idle memory, which comes on top: pools with a limit and no
// idle budget have the limit as budget.
func WithLimit(bytes int64) Option { return limitOption(bytes) }

// defaultWaiters is how many may wait unless WithWaiters says otherwise.
const defaultWaiters = 1024

type waitersOption int

func (o waitersOption) apply(c *engine.Config) { c.Waiters = int(o) }

// WithWaiters bounds how many may wait at a time in [CapacityPools.Acquire] and
// [CapacityPools.Reserve]. One more is rejected at once. The default is 1,024; with 0
// or less nobody waits.
func WithWaiters(n int) Option { return waitersOption(n) }

// ErrLimit is the error of requests for admission at the limit, for [errors.Is]. The
// text of the error names the pool, and says how many bytes were asked for, are in use,
// and are allowed.
var ErrLimit = engine.ErrLimit

// LimitStats says how a limit is used. All is 0 without one. Bytes are capacities.
type LimitStats struct {
	Limit    int64         // as given by WithLimit
	InUse    int64         // handed out and not released
	Reserved int64         // set aside and not taken yet: by reservations, for waiters, and as credits of processors
	Waiting  int           // goroutines that wait now
	Admitted uint64        // requests that were admitted, without those that a credit of their processor served
	Rejected uint64        // requests that got ErrLimit
	Waited   time.Duration // by all waiters together, also those whose context ended
	Peak     int64         // the highest InUse that was seen
}

// CapacityOf returns what a slice of New(size) counts against a limit: the capacity
// of its class, or size above [CapacityPools.MaxSize].
func (p *CapacityPools) CapacityOf(size int) int { return p.pool.CapacityOf(size) }

// TryNew is [CapacityPools.New] if the limit of the pools (see [WithLimit]) allows it,
// and otherwise returns [ErrLimit] at once. Without a limit it always succeeds. The
// slice is released as all others are.
func (p *CapacityPools) TryNew(size int) ([]byte, error) { return p.pool.TryNew(size) }

// Acquire is [CapacityPools.TryNew], but waits for room until ctx ends, and returns the
// error of ctx then. It returns [ErrLimit] at once if the slice is larger than the
// limit, or if as many wait as may ([WithWaiters]). The newest waiter is served first,
// because the client of an old one has likely given up. But no request passes a waiter
// that has waited for a second, nor does one of TryNew.
func (p *CapacityPools) Acquire(ctx context.Context, size int) ([]byte, error) {
	return p.pool.Acquire(ctx, size)
}

// TryReserve sets aside CapacityOf(n) bytes if the limit of the pools allows it, and
// otherwise returns [ErrLimit] at once. It is for work that is to be rejected before it
// begins, and takes its slices later: [Reservation.New] takes them from what was set
// aside. The caller must release the reservation.
func (p *CapacityPools) TryReserve(n int64) (*Reservation, error) {
	return newReservation(p.pool.TryReserve(n))
}

// Reserve is [CapacityPools.TryReserve], but waits for room as [CapacityPools.Acquire]
// does.
func (p *CapacityPools) Reserve(ctx context.Context, n int64) (*Reservation, error) {
	return newReservation(p.pool.Reserve(ctx, n))
}

func newReservation(r *engine.Reservation, err error) (*Reservation, error) {
	if err != nil {
		return nil, err
	}
	return &Reservation{r}, nil
}

// Forget stops counting what is in use now against the limit, and returns how many bytes
// that was. It is for slices that are known to be lost. Those that are still in
// use come on top of the limit until they are released; like slices from elsewhere,
// their release then hides others of their class.
func (p *CapacityPools) Forget() int64 { return p.pool.Forget() }

// A Reservation is bytes that were set aside below the limit of pools. Its methods are
// safe for concurrent use. On a nil Reservation, Release does nothing, and New returns
// [ErrLimit].
type Reservation struct{ r *engine.Reservation }

// New is [CapacityPools.New] of the pools, charged to what is left of the reservation.
// What that does not cover is admitted as by [CapacityPools.TryNew]; otherwise New
// returns [ErrLimit], and leaves the reservation as it was. The slice is released to the
// pools, before or after the reservation.
func (r *Reservation) New(size int) ([]byte, error) {
	if r == nil {
		return nil, errNilReservation
	}
	return r.r.New(size)
}

var errNilReservation = fmt.Errorf("%w: the Reservation is nil", ErrLimit)

// Release gives back what was not taken. To release a Reservation again does nothing.
func (r *Reservation) Release() {
	if r != nil {
		r.r.Release()
	}
}
