// Package limit bounds the bytes that are in use. It knows nothing of pools.
//
// # Map
//
//	limit.go        what is in use, requests, and those who wait
//	refusal.go      the error of refused requests
//	reservation.go  bytes that count before they are taken
package limit

import (
	"container/list"
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
)

func init() { check.RegisterPackage() }

// started is the moment from which durations are counted.
var started = time.Now()

// A Limit bounds the bytes that are in use, for requests that ask for
// admission. All others succeed and count against those. Bytes are capacities.
//
// One number, used, counts what is in use or reserved. Who is handed a slice adds its
// capacity, and a release subtracts the capacity of what is released, but not below 0.
// Idle memory does not count. A request for admission compares and adds in one step, so
// none exceeds the limit, and none is refused while there is room for it.
//
// Waiters stand in line, and the oldest that fits is admitted first. No wake-up is lost: a
// waiter first joins the line, and then tries once more; a release first subtracts, and
// then looks whether there is a line. One of the two comes second, and sees the other.
//
// Smaller requests pass a large one, so that it does not stop them beside a slice that is
// held for long. For them not to pass it for ever, the oldest waiter has a turn now and
// then, in which nobody else is admitted. A turn ends when its waiter is served, or after
// turnTime. The next one begins a second after it began, or five seconds after it ended in
// vain: so turns take a quarter of the time at most, and much less beside what is held for
// longer. Each waiter looks once a second whether it is the oldest.
//
// The waiter's own timer begins and ends its turn. In a bubble of testing/synctest clocks
// stand still and jump, so a turn holds for those in the waiter's bubble alone, and the
// oldest has it among those: nothing that others depend on is in a bubble.
//
// Nobody outside of a bubble may close a channel of it. A waiter in a bubble that is
// served from outside finds out when its timer fires: at once, if all in the bubble wait.
//
// A line that nobody passes would need no turns. But whatever is at its head keeps memory
// unused until there is enough for it: at four times the load that there is room for, of
// which one in a hundred asks for a quarter or a half of the limit, a third less was served.
type Limit struct {
	id    uint64 // of this limit alone
	name  string
	limit int64
	most  int64 // waiters at most

	waiting atomic.Int64           // waiters in line; changed under mu
	turn    atomic.Pointer[waiter] // who has its turn, or nil; changed under mu

	peak     atomic.Int64 // the most that used was
	reserved atomic.Int64 // bytes of used that reservations have left
	rejected atomic.Int64 // requests
	waited   atomic.Int64 // nanoseconds

	// Each operation changes used, so no other field shares its cache line.
	_    [64]byte
	used atomic.Int64 // bytes in use or reserved, never below 0
	_    [56]byte

	mu     sync.Mutex
	line   list.List     // of *waiter, the oldest first
	least  int64         // no waiter asks for less
	next   time.Duration // no turn begins before, since started, by the clock of nextIn
	nextIn int64         // the bubble of the last turn
}

// New returns a Limit of so many bytes, for which so many requests may wait.
func New(name string, bytes int64, waiters int) *Limit {
	return &Limit{id: check.NewPoolID(), name: name, limit: bytes, most: int64(waiters)}
}

// Name returns the name of l.
func (l *Limit) Name() string { return l.name }

// Bytes returns how many bytes may be in use.
func (l *Limit) Bytes() int64 { return l.limit }

const (
	turnTime  = 250 * time.Millisecond // how long a turn lasts at most
	pause     = time.Second            // from the beginning of a turn to that of the next
	vainPause = 5 * time.Second        // from the end of one in vain
)

// A waiter is a request in line.
type waiter struct {
	bytes   int64
	place   *list.Element
	granted bool          // guarded by the Limit's mu
	ready   chan struct{} // closed when granted, unless by somebody outside of bubble
	bubble  int64         // see rt.Bubble
}

// Take adds n bytes, whatever the limit is.
func (l *Limit) Take(n int64) { l.note(l.used.Add(n)) }

// note notes that so many bytes were used.
func (l *Limit) note(used int64) {
	for peak := l.peak.Load(); used > peak && !l.peak.CompareAndSwap(peak, used); {
		peak = l.peak.Load()
	}
}

// admit adds n bytes if they fit, and reports whether they do.
func (l *Limit) admit(n int64) bool {
	for used := l.used.Load(); n <= l.limit-used; used = l.used.Load() {
		if l.used.CompareAndSwap(used, used+n) {
			l.note(used + n)
			return true
		}
	}
	return false
}

// Admit is admit for a request that is not in line. A request for nothing always succeeds.
func (l *Limit) Admit(n int64) bool { return n == 0 || !l.closed() && l.admit(n) }

// AdmitUpTo adds n bytes if no more than most are in use then, and it is nobody's turn. It waits for
// nothing and does not allocate.
func (l *Limit) AdmitUpTo(n, most int64) bool {
	return l.used.Load() <= most-n && l.turn.Load() == nil && l.admit(n)
}

// closed reports whether it is somebody's turn, in the caller's bubble.
func (l *Limit) closed() bool { return l.turn.Load() != nil && l.closedSlow() }

func (l *Limit) closedSlow() bool {
	w := l.turn.Load()
	return w != nil && w.bubble == rt.Bubble()
}

// Give subtracts n bytes, and admits who waits for them.
func (l *Limit) Give(n int64) {
	for used := l.used.Load(); !l.used.CompareAndSwap(used, max(used-n, 0)); {
		used = l.used.Load()
	}
	if l.waiting.Load() > 0 { // last: see Limit
		l.mu.Lock()
		l.serve()
		l.mu.Unlock()
	}
}

// serve admits all in line that fit; in a turn, the oldest alone. The caller holds mu.
func (l *Limit) serve() {
	least := int64(math.MaxInt64)
	for e := l.line.Front(); e != nil; {
		if l.least > l.limit-l.used.Load() {
			return // nobody fits
		}
		w, turn := e.Value.(*waiter), l.turn.Load()
		e = e.Next()
		closed := turn != nil && turn != w && turn.bubble == w.bubble
		switch {
		case !closed && l.admit(w.bytes):
			l.leave(w)
			w.granted = true
			if w.bubble == 0 || w.bubble > 0 && w.bubble == rt.Bubble() {
				close(w.ready)
			}
		case turn == w && w.bubble == 0:
			return // those in bubbles may wait as long, and a long line is not gone through
		default:
			least = min(least, w.bytes)
		}
	}
	l.least = least
}

// join adds a waiter for n bytes to the line, and tries once more. It returns nil if as many wait as may.
func (l *Limit) join(n int64) *waiter {
	w := &waiter{bytes: n, ready: make(chan struct{}), bubble: rt.Bubble()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting.Load() >= l.most {
		return nil
	}
	w.place = l.line.PushBack(w)
	l.least = min(l.least, n)
	l.waiting.Add(1) // before the attempt: see Limit
	l.serve()
	return w
}

// leave takes w out of the line, and ends its turn. The caller holds mu.
func (l *Limit) leave(w *waiter) {
	if l.turn.Load() == w {
		l.turn.Store(nil)
	}
	l.line.Remove(w.place)
	l.waiting.Add(-1)
}

// tick is called when the timer of w fires. It begins a turn of w or ends it, and returns
// when the timer is to fire again; 0 if w was granted what it waits for.
func (l *Limit) tick(w *waiter) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn, now := l.turn.Load(), time.Since(started)
	switch {
	case w.granted:
		return 0
	case turn == w: // in vain
		l.turn.Store(nil)
		l.next = now + vainPause
		l.serve() // those whom the turn has kept waiting
		return pause
	case !l.oldest(w) || turn != nil && turn.bubble == 0:
		return pause
	case w.bubble == l.nextIn && now < l.next:
		return l.next - now
	}
	l.turn.Store(w)
	l.next, l.nextIn = now+pause, w.bubble
	l.serve() // those whom a turn in another bubble has kept waiting
	return turnTime
}

// oldest reports whether w is the oldest in its bubble. In one that is not known nobody is.
func (l *Limit) oldest(w *waiter) bool {
	e := l.line.Front()
	for e.Value.(*waiter).bubble != w.bubble {
		e = e.Next()
	}
	return e == w.place && w.bubble >= 0
}

// Wait adds n bytes, and waits for room until ctx ends. The error is that of ctx, or
// wraps ErrLimit if as many wait as may, or n is more than the limit: that would never fit
// beside anything else, so to wait for it would be to stop all others.
func (l *Limit) Wait(ctx context.Context, n int64) error {
	if err := ctx.Err(); err != nil || l.Admit(n) {
		return err
	}
	if n > l.limit {
		return l.refuse("", n, false, tooLarge)
	}
	w := l.join(n)
	if w == nil {
		return l.refuse("", n, false, lineFull)
	}
	return l.stand(ctx, w)
}

// stand waits until w is served, or ctx ends.
func (l *Limit) stand(ctx context.Context, w *waiter) error {
	began, timer := time.Now(), time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-w.ready:
		case <-ctx.Done():
		case <-timer.C:
			if next := l.tick(w); next > 0 {
				timer.Reset(next)
				continue
			}
		}
		l.waited.Add(int64(time.Since(began)))
		return l.finish(w, ctx.Err())
	}
}

// finish ends the wait of w, which passes on what it was granted if err, the error of its
// context, is not nil.
func (l *Limit) finish(w *waiter, err error) error {
	l.mu.Lock()
	granted := w.granted
	if !granted {
		l.leave(w)
		l.serve() // those whom its turn has kept waiting
	}
	l.mu.Unlock()
	if granted && err != nil {
		l.Give(w.bytes)
	}
	return err
}

// Stats returns how l is used. It does not know whether several pools have it.
func (l *Limit) Stats() stats.Limit {
	used := l.used.Load()
	reserved := min(l.reserved.Load(), used)
	return stats.Limit{
		ID:       l.id,
		Name:     l.name,
		Bytes:    l.limit,
		InUse:    used - reserved,
		Reserved: reserved,
		Peak:     l.peak.Load(),
		Waiting:  int(l.waiting.Load()),
		Rejected: uint64(l.rejected.Load()),
		Waited:   time.Duration(l.waited.Load()),
	}
}
