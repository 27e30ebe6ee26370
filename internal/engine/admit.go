package engine

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"strconv"
	"sync"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// ErrLimit is the error of requests for admission that the limit does not allow.
var ErrLimit = errors.New("bytespool: limit on memory in use")

// A limitError says what a request asked for, and why it was rejected.
type limitError struct {
	pool         string
	asked, inUse int64
	limit        int64
	shared       string // the name of a limit that pools share
	why          string
}

func (e *limitError) Unwrap() error { return ErrLimit }

func (e *limitError) Error() string {
	of := ""
	if e.shared != "" {
		of = " of limit " + strconv.Quote(e.shared)
	}
	return "bytespool: pool " + strconv.Quote(e.pool) + ": " + strconv.FormatInt(e.asked, 10) + " bytes asked for, " +
		strconv.FormatInt(e.inUse, 10) + " of " + strconv.FormatInt(e.limit, 10) + of + " in use or reserved: " + e.why
}

// refuse counts a rejected request and describes it. It is not inlined, as it allocates.
//
//go:noinline
func (p *Pool) refuse(n int64) error {
	l, why := p.limiter, "there is no room"
	if n > l.limit {
		why = "it is more than the limit"
	} else if l.closed() {
		why = "it is the turn of a request that has waited for long"
	}
	p.rejected.Add(1)
	l.rejected.Add(1)
	shared := ""
	if p.sharesLimit {
		shared = l.name
	}
	return &limitError{p.name, n, l.used.Load(), l.limit, shared, why}
}

// ask adds n bytes, or rejects the request. Without a limit it does nothing.
func (p *Pool) ask(n int64) error {
	if p.limiter == nil || p.limiter.admitNew(n) {
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
	ok, err := p.limiter.wait(ctx, n)
	if ok || err != nil {
		return err
	}
	return p.ask(n)
}

// CapacityOf returns what New(size) is charged: the capacity of its slice.
func (p *Pool) CapacityOf(size int) int {
	size = max(size, 0)
	if s := p.size.Load(); s != nil && s.serves(size) {
		return s.Capacity(s.classOf(size))
	}
	return size
}

// Charge counts a slice of the given capacity as in use. It is for slices that
// [Objects.Take] or NewOwned handed out: all other functions count what they hand out.
func (p *Pool) Charge(capacity int) { p.Settle(0, capacity) }

// discharge counts a slice of the given capacity as released.
func (p *Pool) discharge(capacity int) {
	if p.limiter != nil {
		p.limiter.give(int64(capacity))
	}
}

// Limited reports whether p has a limit.
func (p *Pool) Limited() bool { return p.limiter != nil }

// Admit counts n bytes, as a slice for size does in place of one that has so many bytes and
// comes back, if the limit allows it. The caller passes them to Settle when it has the slice.
func (p *Pool) Admit(size, comesBack int) (n int64, err error) {
	n = int64(max(p.CapacityOf(size)-comesBack, 0))
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
		p.limiter.give(n)
	} else if n < 0 {
		p.limiter.take(-n)
	}
}

// TryNew is New if the limit allows it, and otherwise returns ErrLimit.
func (p *Pool) TryNew(size int) ([]byte, error) {
	if p.limiter == nil {
		return p.New(size), nil
	}
	return p.newLimited(size, true)
}

// newLimited is New of a pool with a limit, or TryNew if it is to ask.
func (p *Pool) newLimited(size int, ask bool) ([]byte, error) {
	l := p.limiter
	var c *Head // of a class that may be open
	var n int64
	if rt.Pinned && uintptr(size)-1 < p.newLimit.Load() { // not for size 0
		c = p.head(p.grid.ClassWith(max(uint32(size-1), uint32(p.newMask.Load()))))
		n = int64(c.Capacity)
	} else {
		n = int64(p.CapacityOf(size))
	}
	if !ask {
		l.take(n)
	} else if l.closed() || !l.admit(n) {
		return nil, p.refuse(n)
	}
	if rt.Pinned && c != nil {
		if r := c.Record(rt.Pin()); r != nil {
			if x := r.Pop(); x.Some() {
				rt.Unpin()
				return x.Slice(size, c.Capacity), nil
			}
		}
		rt.Unpin()
	}
	return p.NewAdmitted(size, n), nil
}

// TryNewN fills bufs with slices of the given size, if the limit allows for all of them, and
// otherwise returns ErrLimit. AcquireN waits for that. They ask once.
func (p *Pool) TryNewN(bufs [][]byte, size int) error {
	n := p.times(size, len(bufs))
	if err := p.ask(n); err != nil {
		return err
	}
	p.fill(bufs, size, n)
	return nil
}

func (p *Pool) AcquireN(ctx context.Context, bufs [][]byte, size int) error {
	n := p.times(size, len(bufs))
	if err := p.wait(ctx, n); err != nil {
		return err
	}
	p.fill(bufs, size, n)
	return nil
}

// times returns what n slices of the given size count.
func (p *Pool) times(size, n int) int64 {
	hi, lo := bits.Mul64(uint64(p.CapacityOf(size)), uint64(n))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// several is how many items are moved at once.
const several = 16

// fill fills bufs with slices of the given size, for which n bytes were counted.
func (p *Pool) fill(bufs [][]byte, size int, n int64) {
	taken, got := p.takeN(bufs, size)
	if taken == len(bufs) {
		p.Settle(n, got)
		return
	}
	defer func() { p.Settle(n, got) }() // deferred: newSlow may panic
	for i := taken; i < len(bufs); i++ {
		bufs[i] = p.newSlow(size)
		got += cap(bufs[i])
	}
}

// takeN fills the first of bufs with slices of the given size that are idle, and returns how
// many it filled, and what they have together.
func (p *Pool) takeN(bufs [][]byte, size int) (n, bytes int) {
	s := p.size.Load()
	if s == nil || !s.serves(size) || check.Current() != check.Off {
		return 0, 0
	}
	size = max(size, 0)
	c := p.class(&p.row, s.classOf(size))
	for n < len(bufs) {
		var items [several]item
		wanted := min(several, len(bufs)-n)
		got := c.TakeN(items[:wanted])
		for _, x := range items[:got] {
			bufs[n] = p.sliceOf(c, loan{x, c.Capacity}, size)
			n++
		}
		if got < wanted {
			break
		}
	}
	p.arm() // age may have looked while the rest of a stack was nowhere
	return n, n * int(c.Capacity)
}

// ReleaseN releases bufs, and subtracts once what they count.
func (p *Pool) ReleaseN(bufs [][]byte) (kept int) {
	bytes := 0
	for len(bufs) > 0 {
		n, k := p.putN(bufs)
		bytes += n * cap(bufs[0])
		kept += k
		if n == 0 {
			if p.Release(bufs[0]) {
				kept++
			}
			n = 1
		}
		bufs = bufs[n:]
	}
	if bytes > 0 {
		p.discharge(bytes) // last: who is served finds them idle
	}
	return kept
}

// putN is Release for the first n of bufs, if these have the capacity of one class and are
// nothing out of the ordinary, and for a caller that subtracts what they count.
func (p *Pool) putN(bufs [][]byte) (n, kept int) {
	s, capacity := p.size.Load(), cap(bufs[0])
	if s == nil || !s.takes(capacity) || p.clear == ClearOnRelease || sanitize.Enabled || check.Current() != check.Off {
		return 0, 0
	}
	c := p.filed(capacity)
	if c.Capacity != uintptr(capacity) {
		return 0, 0
	}
	var items [several]item
	for n < min(several, len(bufs)) && cap(bufs[n]) == capacity && check.Displaced(bufs[n]) == 0 {
		items[n] = magazine.ItemOf(bufs[n])
		n++
	}
	kept, surplus := c.PutN(items[:n])
	p.hasPut(c, surplus)
	return n, kept
}

// NewAdmitted is New for a request for which n bytes were counted, by Admit.
func (p *Pool) NewAdmitted(size int, n int64) (b []byte) {
	if b = p.lendAdmitted(size, n); b != nil {
		return b
	}
	defer func() { p.Settle(n, cap(b)) }() // deferred: newSlow may panic
	return p.newSlow(size)
}

// lendAdmitted is NewAdmitted by a loan, if one can be made and there is room for what it has
// beyond n. Otherwise it returns nil.
func (p *Pool) lendAdmitted(size int, n int64) []byte {
	s := p.size.Load()
	if s == nil || !s.serves(size) || p.lending.grown.Load() == 0 || p.clear != ClearNever || sanitize.Enabled || check.Current() != check.Off {
		return nil
	}
	size = max(size, 0)
	c := p.class(&p.row, s.classOf(size))
	g := p.lender(c)
	if g == nil || !p.limiter.admitNew(int64(g.Capacity)-n) {
		return nil
	}
	x := p.lendFrom(c, g)
	p.arm() // age may have looked while the rest of a stack was nowhere
	if x.capacity == 0 {
		p.limiter.give(int64(g.Capacity) - n)
		return nil
	}
	if x.Some() {
		return x.Slice(size, x.capacity)
	}
	return rt.DirtyBytes(int(x.capacity))[:size]
}

// releaseLimited is Release of a pool with a limit.
func (p *Pool) releaseLimited(buf []byte) bool {
	if rt.Pinned {
		pid := rt.Pin()
		c := p.head(p.grid.ClassWith(uint32(cap(buf) - 1)))
		if r := c.Record(pid); r != nil && c.Capacity == uintptr(cap(buf)) && check.Displaced(buf) == 0 && r.Push(magazine.ItemOf(buf)) {
			rt.Unpin()
			p.limiter.give(int64(c.Capacity)) // last: who is served finds buf idle
			return true
		}
		rt.Unpin()
	}
	return p.releaseSlow(buf[:0])
}

// Wait is TryNew that waits for room, however many wait and however long it takes; for what
// is more than the limit, until nothing else is in use.
func (p *Pool) Wait(size int) []byte {
	if p.limiter == nil {
		return p.New(size)
	}
	return p.NewAdmitted(size, p.limiter.waitAlways(int64(p.CapacityOf(size))))
}

// WaitN is Wait for several slices, which it waits for together.
func (p *Pool) WaitN(bufs [][]byte, size int) {
	n := p.times(size, len(bufs))
	if p.limiter != nil {
		n = p.limiter.waitAlways(n)
	}
	p.fill(bufs, size, n)
}

// Acquire is TryNew that waits for room until ctx ends.
func (p *Pool) Acquire(ctx context.Context, size int) ([]byte, error) {
	n, err := p.AdmitWaiting(ctx, size)
	if err != nil {
		return nil, err
	}
	return p.NewAdmitted(size, n), nil
}

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

// Forget stops counting what is in use or reserved now, and returns how many bytes that was.
func (l *Limit) Forget() (n int64) {
	n = l.used.Load()
	l.give(n)
	return n
}

// Forget is that of p's limit.
func (p *Pool) Forget() int64 {
	if p.limiter == nil {
		return 0
	}
	return p.limiter.Forget()
}
