package rt

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A Lock is a mutual exclusion lock for sections of a few nanoseconds that seldom
// meet. The zero value is unlocked. It differs from a [sync.Mutex] in two ways: Unlock
// is a plain store where the processor allows that (see lock_plain.go), and Lock
// polls, because Unlock does not know who waits.
type Lock struct{ held atomic.Uint32 }

// TryLock locks l if nobody else has, and reports whether it did.
func (l *Lock) TryLock() bool { return l.held.CompareAndSwap(0, 1) }

// Lock locks l. It may wait for a holder that was preempted.
func (l *Lock) Lock() {
	for n := 0; !l.TryLock(); n++ {
		if n < 100 {
			runtime.Gosched()
		} else {
			time.Sleep(10 * time.Microsecond)
		}
	}
}
