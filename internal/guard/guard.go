//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/postmortem"
)

var (
	starting sync.Mutex
	started  atomic.Pointer[arena]
)

// Start reserves address space and starts the reporter. Before it Alloc refuses
// every request, without counting them. The bound on live mappings is live, or
// less if the system could not bear that; 0 stands for a bound that suits the
// system.
//
// A reporter that cannot be started (see [postmortem.Start]) is not an error; reporterErr
// says why.
//
// Start may be called again, for another bound, and to try again to start a
// reporter.
func Start(live int) (reporterErr error, err error) {
	starting.Lock()
	defer starting.Unlock()
	a := started.Load()
	if a == nil {
		if a, err = newArena(systemMemory()); err != nil {
			return nil, err
		}
		started.Store(a)
	}
	a.setBound(live)
	if a.table.Load() == nil {
		t, err := postmortem.Start()
		if err != nil {
			return err, nil
		}
		a.table.Store(t)
	}
	return nil, nil
}

// Alloc returns a slice of length and capacity n, which must be positive, filled with
// zeros. It ends at the end of a page, and the next page is inaccessible. Alloc
// returns false if the bound on live mappings is reached, or if the system has no
// memory or address space left. The reporter describes the slice as one of size
// bytes, which may be less than n, from the named pool, acquired at the given stack,
// which is as runtime.Callers returns it. Alloc does not retain its arguments.
//
// The memory is not Go's: it is never collected, must not hold pointers, and
// cleanups cannot be attached to it.
func Alloc(n, size int, pool string, acquired []uintptr) (b []byte, ok bool) {
	a := started.Load()
	if a == nil {
		return nil, false
	}
	return a.alloc(n, size, pool, acquired)
}

// Free makes the memory of b inaccessible for good. b must begin where a slice of
// Alloc begins; its length does not matter, and its capacity may be less. Otherwise,
// or if the slice was freed before, Free returns false and does nothing. The
// reporter says that the memory was released at the given stack.
func Free(b []byte, released []uintptr) bool {
	a := started.Load()
	return a != nil && a.free(b, released)
}

// Owns reports whether b is memory of this package, freed or not.
func Owns(b []byte) bool {
	a := started.Load()
	return a != nil && a.owns(b)
}

// Live returns the number of live mappings, the bound on it, and the number of
// requests that were refused.
func Live() (n, bound int, refused uint64) {
	if a := started.Load(); a != nil {
		return a.count()
	}
	return 0, 0, 0
}
