package rt

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A Lock is a mutual exclusion lock for sections of a few nanoseconds that seldom
// meet. The zero value is unlocked. It differs from a [sync.Mutex] in that Unlock
// costs a plain store where the processor allows that (see lock_plain.go), and in
// that Lock polls, because Unlock does not know of anybody who waits.
type Lock struct{ held atomic.Uint32 }

// TryLock locks l if nobody else has, and reports whether it did.
func (l *Lock) TryLock() bool { return l.held.CompareAndSwap(0, 1) }

// Lock locks l. A holder that was preempted is waited for.
func (l *Lock) Lock() {
	for n := 0; !l.TryLock(); n++ {
		if n < 100 {
			runtime.Gosched()
		} else {
			time.Sleep(10 * time.Microsecond)
		}
	}
}
