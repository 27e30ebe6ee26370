package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/internal/rt"
)

// A limiter bounds the bytes that a pool hands out to requests for admission: TryNew,
// Acquire, and reservations. New and its relatives always succeed, and what they take
// counts against those requests. Bytes are capacities.
//
// # Two regimes
//
// New and Release must not pay for a limit that is far away, and a limit that is near
// must be exact. So:
//
//   - Far: the fast paths are open. TryNew spends a credit of its processor while it is
//     pinned there. Without a credit it takes the lock, and is admitted if what is in
//     use, reserved, and given as credit stays within 7/8 of the limit.
//   - Near: the classes are closed to the fast paths, and every operation updates used
//     under the lock.
//
// Near begins with the first request that cannot be admitted in far. It ends when at
// most 3/4 of the limit are used, nobody waits, and 10 ms have passed since it began and
// since the last rejection.
//
// # Why the limit is not exceeded
//
// Only the holder of the lock admits requests, gives credits and sets bytes aside. It
// knows the memory in use from a sweep, whose result was not too low at some moment
// after the holder took the lock. Bytes that are admitted are held until their slice is
// counted, under the lock. A credit counts until it is spent, and the request that
// spends it counts its slice first. What is spare was below 7/8 of the limit when it was
// found.
//
// So only memory that nobody asked admission for exceeds the limit: what New and its
// relatives take; slices in use that slices from elsewhere hide, when these are released
// into their class; and the difference, if Reconfigure makes a class larger between the
// admission of a request and its slice.
//
// # What is late
//
// A sweep also counts what is released while it runs. So a request is rejected only
// after three sweeps without room. Closing the classes does not stop an operation that
// found them open before: its Release counts after the sweep, and wakes no waiter. No
// memory fence can prevent that. So the limiter sweeps again before it rejects a
// request, if the last sweep is older than a millisecond, and every millisecond while
// somebody waits.
//
// A credit that its processor has not spent is no room for others. So a request may be
// rejected early, by the sum of all credits, which is at most a 32nd of the limit. Near
// the limit a processor gives its credit back with its next request. A processor whose
// requests are larger than its share of that 32nd gets no credit: so a limit of a few
// slices is exact.
//
// Lock order: limiter.mu, then Pool.mu. Trim, and what is done after collections, do not
// change what is in use and do not take limiter.mu.
type limiter struct {
	pool    *Pool
	limit   int64
	grant   int64 // the credit of a processor at most; 0 for none
	most    int   // waiters at most
	credits []credit

	near atomic.Bool // changed under mu

	mu      sync.Mutex
	inUse   []int64 // bytes in use by class, those of no class last: right after a sweep, and in near always
	base    []int64 // bytes by class that were handed out and do not count: see rebase
	used    int64   // the sum of inUse
	unspent int64   // credits, after a sweep
	held    int64   // bytes reserved, or admitted, and not taken yet
	spare   int64   // in far: bytes that may be admitted without a sweep
	queue   []*waiter
	ticking bool          // a tick is due
	swept   time.Duration // when the last sweep was
	until   time.Duration // near lasts until then at least
	stats   LimitStats
}

// A credit is how many bytes TryNew may still hand out on a processor without the lock.
// It fills a cache line.
type credit struct {
	left uint64 // changed only by a goroutine that is pinned to the processor
	_    [56]byte
}

const (
	tickPeriod = time.Millisecond
	nearPeriod = 10 * time.Millisecond // how long near lasts at least, and after a rejection
	patience   = time.Second           // how long a waiter waits before nobody may pass it
	sweeps     = 3                     // how many sweeps find no room before a request is rejected
)

// LimitStats says how a limit is used. Bytes are capacities.
type LimitStats struct {
	Limit    int64 // 0 for none
	InUse    int64
	Reserved int64 // set aside, as credits too, and not taken yet
	Waiting  int
	Admitted uint64        // requests, without those that spent a credit
	Rejected uint64        // requests
	Waited   time.Duration // in all
	Peak     int64         // the most that was seen in use
}

func newLimiter(p *Pool, limit int64, waiters, records int) *limiter {
	l := &limiter{pool: p, limit: limit, most: waiters}
	l.inUse, l.base = make([]int64, len(p.classes)+1), make([]int64, len(p.classes)+1)
	if !p.portable {
		l.credits = make([]credit, records)
		l.grant = limit / 32 / int64(records)
	}
	return l
}

// sweep adds up what is in use, and what credits are left. The sum is not too low:
// between the two passes over the counters there was a moment when no more had been
// released, and no less handed out, than what was read; and a slice that was paid with
// a credit is in one of the two, because credits are read first. The caller holds mu.
func (l *limiter) sweep() {
	l.unspent = 0
	for i := range l.credits {
		l.unspent += int64(atomic.LoadUint64(&l.credits[i].left))
	}
	p, last := l.pool, len(l.inUse)-1
	for k := firstClass; k < last; k++ {
		l.inUse[k] = -l.base[k] - p.returned(k)*int64(p.classes[k].capacity)
	}
	l.inUse[last] = -l.base[last] - int64(p.out.returned.Load())
	for k := firstClass; k < last; k++ {
		l.inUse[k] += p.handedOut(k) * int64(p.classes[k].capacity)
	}
	l.inUse[last] += int64(p.out.bytes.Load())
	l.used = 0
	for k := range l.inUse {
		l.rebase(k)
		l.used += l.inUse[k]
	}
	l.stats.Peak = max(l.stats.Peak, l.used)
	l.swept = time.Since(started)
}

// rebase makes class k count 0 if it counts less, because slices from elsewhere were
// released into it. So they hide at most what is in use in their class, and nothing
// that is handed out later.
func (l *limiter) rebase(k int) {
	if n := l.inUse[k]; n < 0 {
		l.base[k] += n
		l.inUse[k] = 0
	}
}

// room returns how many bytes there are below the given bound. The caller holds mu.
func (l *limiter) room(bound int64) int64 { return bound - l.used - l.unspent - l.held }

// look sweeps until there is room for the given bytes below bound, a few times at most,
// and reports whether there is. The caller holds mu.
func (l *limiter) look(bytes, bound int64) bool {
	for range sweeps {
		if l.sweep(); bytes <= l.room(bound) {
			return true
		}
	}
	return false
}

// admitLocked sets bytes aside, as held, if the limit allows it, and reports whether it
// does. The caller holds mu, and passes them to the operation that takes them.
func (l *limiter) admitLocked(bytes int64) bool {
	if !l.near.Load() {
		if l.admitFar(bytes) {
			return true
		}
		l.enterNear()
		l.look(bytes, l.limit)
	}
	l.refill(0)
	if l.starving() {
		return false
	}
	if bytes > l.room(l.limit) && (time.Since(started)-l.swept < tickPeriod || !l.look(bytes, l.limit)) {
		return false
	}
	l.held += bytes
	l.stats.Admitted++
	return true
}

// admitFar is admitLocked in far. It also refills the credit of the caller's
// processor.
func (l *limiter) admitFar(bytes int64) bool {
	if l.spare-l.grant >= bytes {
		l.spare -= bytes
	} else {
		l.spare = 0
		far := l.limit - l.limit/8
		if !l.look(bytes, far) {
			return false
		}
		l.spare = min(l.room(far)-bytes, l.limit/32)
	}
	l.held += bytes
	l.stats.Admitted++
	if l.grant >= bytes { // or it would serve no request like this one
		l.refill(l.grant)
	}
	return true
}

// refill makes the credit of the caller's processor as large as most, as far as spare
// allows it. The caller holds mu.
func (l *limiter) refill(most int64) {
	if l.grant == 0 {
		return
	}
	if pid := rt.Pin(); pid < len(l.credits) {
		left := &l.credits[pid].left
		n := min(most-int64(*left), l.spare)
		rt.StoreRelease(left, *left+uint64(n))
		l.spare -= n
		l.unspent += n
	}
	rt.Unpin()
}

// enterNear closes the classes to the fast paths. The caller holds mu.
func (l *limiter) enterNear() {
	l.near.Store(true)
	l.until = time.Since(started) + nearPeriod
	l.pool.openAll()
}

// leaveNear opens the classes again if the limit is far enough away. The caller holds
// mu, and nobody waits.
func (l *limiter) leaveNear() {
	if !l.near.Load() || l.room(l.limit-l.limit/4) < 0 {
		return
	}
	if time.Since(started) >= l.until {
		l.near.Store(false)
		l.spare = 0
		l.pool.openAll()
	}
}

// tick sweeps after a while, as long as anybody waits. The caller holds mu.
func (l *limiter) tick() {
	if l.ticking || len(l.queue) == 0 {
		return
	}
	l.ticking = true
	time.AfterFunc(tickPeriod, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ticking = false
		l.sweep()
		l.handOn()
		l.tick()
	})
}

// took notes that n bytes of class k were handed out, for which paid was set aside.
// The caller holds mu.
func (l *limiter) took(k int, n, paid int64) {
	l.held -= paid
	if l.near.Load() {
		l.inUse[k] += n
		l.used += n
		l.stats.Peak = max(l.stats.Peak, l.used)
	}
}

// gave notes that n bytes of class k were released, and hands on the room that this
// makes. The caller holds mu.
func (l *limiter) gave(k int, n int64) {
	if !l.near.Load() {
		return
	}
	if n <= l.inUse[k] {
		l.inUse[k] -= n
		l.used -= n
	} else {
		l.sweep() // it came from elsewhere, or was counted late
	}
	l.handOn()
}

// read returns the statistics.
func (l *limiter) read() LimitStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	s := l.stats
	s.Limit, s.InUse, s.Reserved, s.Waiting = l.limit, l.used, l.held+l.unspent, len(l.queue)
	return s
}

// forget makes what is in use count no more, and returns how many bytes that were.
func (l *limiter) forget() (bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	for k, n := range l.inUse {
		l.base[k] += n
		l.inUse[k] = 0
	}
	bytes, l.used = l.used, 0
	l.handOn()
	return bytes
}
