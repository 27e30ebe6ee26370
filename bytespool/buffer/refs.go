package buffer

import (
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// A refCount says who owns a Buffer.
//
//	n            in use, with n references beside the first
//	tracked + n  the same, and package check tracks it
//	pooled       idle, and owned by the pool
//	buried       released and tracked, and never used again
//
// Calls through stale pointers may change any of these by a little, so a count
// belongs to the state that it is nearest to.
//
// These are all transitions, and who may make them:
//
//	pooled → n = 0   acquire, by the goroutine that took the Buffer from the pool
//	n → n ± m        add, by anybody
//	n → n + 1        retain, by anybody who does not know whether there are owners
//	0 → pooled       end, by the last owner, which then puts the Buffer into the pool
//	n → n-1, pooled  release, by an owner
//
// Instead of pooled, a count at tracked becomes buried.
//
// What a Buffer's owners did with it happens before what its next owner does:
// release decrements the count atomically, the last owner has loaded the count
// atomically to find that it is the last, and the pool hands the Buffer on. Only
// acquire and end may store plainly, because nobody else owns the Buffer then. So if
// two goroutines release the last reference at the same time, which is misuse, both
// may find 0 and put the Buffer into the pool.
//
// Tests explore the interleavings of an edited copy of this file: interleave_test.go.
type refCount struct{ n atomic.Int64 }

const (
	tracked = 1 << 60
	pooled  = -1 << 60
	buried  = -1 << 61
)

// state returns 0, tracked, pooled or buried.
func state(n int64) int64 {
	const near = 1 << 59
	switch {
	case n >= near:
		return tracked
	case n > -near:
		return 0
	case n > pooled-near:
		return pooled
	}
	return buried
}

// acquire begins the use of a Buffer that the caller took from the pool.
func (r *refCount) acquire() { rt.Store(&r.n, 0) }

// last reports whether the caller has the last reference to a Buffer that is not
// tracked.
func (r *refCount) last() bool { return r.n.Load() == 0 }

// end gives up the last reference, after last has reported true, and reports whether
// it still was the last.
func (r *refCount) end() bool {
	if rt.PlainStores {
		rt.Store(&r.n, pooled)
		return true
	}
	return r.n.CompareAndSwap(0, pooled)
}

// release gives up a reference, and reports whether it was the last. If so, the
// count says pooled or buried, and only the caller has the Buffer. A release of a
// Buffer whose count says that already changes nothing, and reports that there was
// none. Callers must not look at the count instead: somebody else may have released the
// last reference meanwhile.
func (r *refCount) release() (last, none bool) {
	for {
		n := r.n.Load()
		s := state(n)
		switch {
		case s < 0:
			return false, true
		case n != s:
			if r.n.CompareAndSwap(n, n-1) {
				return false, false
			}
		case r.n.CompareAndSwap(n, ended(s)):
			return true, false
		}
	}
}

// retain adds a reference if there is one, and reports whether there was.
func (r *refCount) retain() bool {
	for {
		n := r.n.Load()
		if state(n) < 0 {
			return false
		}
		if r.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// ended returns what a count in state s becomes with its last reference.
func ended(s int64) int64 {
	if s == tracked {
		return buried
	}
	return pooled
}

// buried reports whether the Buffer was tracked and is released.
func (r *refCount) buried() bool { return state(r.n.Load()) == buried }

// idle reports whether the Buffer is in the pool, or buried.
func (r *refCount) idle() bool { return state(r.n.Load()) < 0 }

// shared reports whether there are references beside the caller's.
func (r *refCount) shared() bool {
	n := r.n.Load()
	return n > state(n)
}

// add adds delta references and returns the new count.
func (r *refCount) add(delta int64) int64 { return value(r.n.Add(delta)) }

// value returns the references beside the first, or -1 if there is no owner.
func value(n int64) int64 {
	if s := state(n); s >= 0 {
		return n - s
	}
	return -1
}
