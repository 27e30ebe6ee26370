package engine

import (
	"sync"
	"time"
)

// A least is the fewest slices that any look found in use, within one to two times heldAfter.
type least struct {
	mu    sync.Mutex
	n     int64         // the fewest, with those of the while before
	next  int64         // the fewest of this while alone
	since time.Duration // since started; when it began
}

// heldAfter is how long slices are in use before they count as kept for long.
const heldAfter = time.Minute

// beyond returns how many more than the fewest are in use, and those. Fewer than none are none.
func (l *least) beyond(inUse int64) (more, fewest int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n, l.next = min(l.n, inUse), min(l.next, inUse)
	return inUse - l.n, max(l.n, 0)
}

// look notes how many are in use after a collection, and ends a while that was long enough.
func (l *least) look(inUse int64, now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n, l.next = min(l.n, inUse), min(l.next, inUse)
	if now-l.since >= heldAfter {
		l.n, l.next, l.since = l.next, inUse, now
	}
}
