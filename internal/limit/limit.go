// Package limit bounds the bytes that are in use. It knows nothing of pools.
//
// # Map
//
//	limit.go        what is in use, and requests that do not wait
//	line.go         requests that wait
//	refusal.go      the error of refused requests
//	reservation.go  bytes that count before they are taken
package limit

import (
	"container/list"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
)

func init() { check.RegisterPackage() }

// A Limit bounds the bytes in use, for requests that ask for admission. Take does not ask,
// but what it adds counts against those that do.
//
// Waiters stand in line, and are admitted first come, first served. Nobody passes them: one
// word has the bytes in use and a bit that says that somebody waits, so a request that does
// not wait compares both and adds in one step.
//
// No wake-up is lost: a waiter sets the bit and then looks for room, and Give makes room in
// the step that reads the bit.
type Limit struct {
	id    uint64
	name  string
	limit int64
	most  int // waiters at most

	peak     atomic.Int64 // the most that was in use
	reserved atomic.Int64 // bytes in use that reservations have left
	rejected atomic.Int64 // requests
	waited   atomic.Int64 // nanoseconds

	// Each operation changes state, so no other field shares its cache line.
	_     [64]byte
	state atomic.Int64 // twice the bytes in use, and 1 if the line is not empty
	_     [56]byte

	mu   sync.Mutex
	line list.List // of *waiter, the oldest first
}

// New returns a Limit of so many bytes, 1<<61 at most, for which so many requests may wait.
func New(name string, bytes int64, waiters int) *Limit {
	return &Limit{id: check.NewPoolID(), name: name, limit: min(bytes, math.MaxInt64/4+1), most: waiters}
}

// Name returns the name of l.
func (l *Limit) Name() string { return l.name }

// Bytes returns how many bytes may be in use.
func (l *Limit) Bytes() int64 { return l.limit }

// Take adds n bytes, whatever the limit is.
func (l *Limit) Take(n int64) { l.note(l.state.Add(2*n) >> 1) }

// note notes that so many bytes were in use.
func (l *Limit) note(used int64) {
	for peak := l.peak.Load(); used > peak && !l.peak.CompareAndSwap(peak, used); {
		peak = l.peak.Load()
	}
}

// Admit adds n bytes if they fit and nobody waits, and reports whether it did. A request
// for nothing always succeeds.
func (l *Limit) Admit(n int64) bool { return l.AdmitUpTo(n, l.limit) }

// AdmitUpTo is Admit if no more than most bytes are in use then.
func (l *Limit) AdmitUpTo(n, most int64) bool { return n == 0 || l.add(n, min(most, l.limit), 1) }

// add adds n bytes if no more than most are in use then, and no bit of closed is set.
func (l *Limit) add(n, most, closed int64) bool {
	for s := l.state.Load(); s&closed == 0 && n <= most-s>>1; s = l.state.Load() {
		if l.state.CompareAndSwap(s, s+2*n) {
			l.note(s>>1 + n)
			return true
		}
	}
	return false
}

// Give subtracts n bytes, but not below 0, and admits those that wait for them.
func (l *Limit) Give(n int64) {
	s := l.state.Load()
	for !l.state.CompareAndSwap(s, max(s>>1-n, 0)<<1|s&1) {
		s = l.state.Load()
	}
	if s&1 != 0 {
		l.mu.Lock()
		l.serve()
		l.mu.Unlock()
	}
}

// Forget stops counting what is in use or reserved now, and returns how many bytes that was.
func (l *Limit) Forget() int64 {
	n := l.state.Load() >> 1
	l.Give(n)
	return n
}

// Stats returns how l is used. It does not know whether several pools have it.
func (l *Limit) Stats() stats.Limit {
	l.mu.Lock()
	waiting := l.line.Len()
	l.mu.Unlock()
	used := l.state.Load() >> 1
	reserved := min(l.reserved.Load(), used) // less is in use after Forget
	return stats.Limit{
		ID:       l.id,
		Name:     l.name,
		Bytes:    l.limit,
		InUse:    used - reserved,
		Reserved: reserved,
		Peak:     l.peak.Load(),
		Waiting:  waiting,
		Rejected: uint64(l.rejected.Load()),
		Waited:   time.Duration(l.waited.Load()),
	}
}
