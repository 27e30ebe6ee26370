package engine

import (
	"math"
	"sync/atomic"
)

// A free says which class lends without credits, and how many slices may be made until it may
// not. It is for one goroutine at a time to count the slices that there are, and to set it;
// whoever makes one says so, while others count, too.
type free struct {
	state atomic.Uint64 // the class, 0 for none, and in the low half how many slices
}

// uncounted is the state while slices are counted: no class lends, and what is made is taken off.
const uncounted = math.MaxInt32

// lends reports whether class k, which is not 0, lends without credits.
func (f *free) lends(k uint32) bool { return uint32(f.state.Load()>>32) == k }

// count begins to count.
func (f *free) count() { f.state.Store(uncounted) }

// set ends that: class k lends without credits until n slices were made since count was called,
// and set reports whether it does. It does not if end has been called since.
func (f *free) set(k int, n int64) bool {
	for {
		state := f.state.Load()
		next := uint64(0)
		if left := min(n, uncounted) - uncounted + int64(state); left > 0 {
			next = uint64(k)<<32 | uint64(left)
		}
		if f.state.CompareAndSwap(state, next) {
			return next > 0
		}
	}
}

// made notes that a slice is made, or may have come from elsewhere.
func (f *free) made() {
	for state := f.state.Load(); state > 0; state = f.state.Load() {
		next := state - 1
		if uint32(next) == 0 {
			next = 0
		}
		if f.state.CompareAndSwap(state, next) {
			return
		}
	}
}

// end has no class lend so.
func (f *free) end() { f.state.Store(0) }
