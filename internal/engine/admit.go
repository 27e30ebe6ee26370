package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
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

// Counted returns the capacity of the class in which a slice of capacity n counts: n if there is
// none.
func (p *Pool) Counted(n int) int {
	if s := p.size.Load(); s != nil && s.least <= n && n <= s.beyond {
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

// NewAdmitted is New for a request for which n bytes were counted, by Admit.
func (p *Pool) NewAdmitted(size int, n int64) []byte { return p.newAdmitted(size, n, true) }

// NewAdmittedOwned is NewAdmitted for a caller to whose own classes the slice comes back: so it
// is no loan.
func (p *Pool) NewAdmittedOwned(size int, n int64) []byte { return p.newAdmitted(size, n, false) }

func (p *Pool) newAdmitted(size int, n int64, loans bool) (b []byte) {
	if b = p.largerAdmitted(size, n, loans); b != nil {
		return b
	}
	defer func() { p.Settle(n, cap(b)) }() // deferred: newSlow may panic
	return p.newSlow(size)
}

// largerAdmitted is newAdmitted by a slice that has more than the class of size, odd or a
// loan, if there is one and the limit has room for what it has beyond n. Otherwise it returns
// nil.
func (p *Pool) largerAdmitted(size int, n int64, loans bool) []byte {
	s := p.size.Load()
	if s == nil || !s.serves(size) || check.Strict() {
		return nil
	}
	size = max(size, 0)
	c := p.class(&p.row, s.classOf(size))
	if check.Current() == check.Sample && c.samplesDue() {
		return nil
	}
	x := p.oddAdmitted(c, n)
	if x.capacity == 0 && loans {
		x = p.lendAdmitted(c, n)
	}
	if x.capacity == 0 {
		return nil
	}
	return p.sliceOf(c, x, size)
}

// oddAdmitted takes an odd item of class c.
func (p *Pool) oddAdmitted(c *class, n int64) (x loan) {
	x.item, x.capacity = c.Odd(func(capacity int) bool { return p.limiter.admitNew(int64(capacity) - n) })
	return x
}

// lendAdmitted takes a loan for a request of class c.
func (p *Pool) lendAdmitted(c *class, n int64) (x loan) {
	g, l := p.lender(c), p.limiter
	if g == nil || int64(g.Capacity)-n > l.limit-l.used.Load() {
		return x
	}
	x = p.lendFrom(c, g)
	p.arm() // age may have looked while the rest of a stack was nowhere

	if x.capacity > 0 && !l.admitNew(int64(g.Capacity)-n) {
		p.takeBack(g, x.item) // others have taken the room meanwhile
		return loan{}
	}
	return x
}

// takeBack takes back what lendFrom has just taken from class g.
func (p *Pool) takeBack(g *class, x item) {
	made := g.row.objects == 0 // or it is an object that is still to be made
	if (x.Some() || made) && !p.size.Load().has(g.index) {
		p.class(&p.row, g.index).lent.Add(-1)
	}
	switch {
	case x.Some():
		p.put(g, x)
	case made:
		g.CountPuts(1)
	}
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
