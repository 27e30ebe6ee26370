//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"sync"
	"sync/atomic"
)

var (
	starting sync.Mutex
	started  atomic.Pointer[arena]
)

// Supported returns nil, or why this platform or build has no guarded memory.
func Supported() error { return nil }

// Start reserves address space and starts the reporter. Before it Alloc refuses
// every request, without counting them. The bound on live mappings is live, or
// less if the system could not bear that; 0 stands for a bound that suits the
// system.
//
// The reporter is a child process that ends with the program. The program need not
// wait for it, and a program that waits until it has no children waits for ever. It
// has the program's standard error open. It gets what the Go runtime prints when it
// ends the program, by [runtime/debug.SetCrashOutput], in place of a file that the
// program set before; if the program sets one later there are no reports from then
// on. A reporter that cannot be started is not an error; reporterErr says why.
//
// The reporter is the program itself, started once more with an environment
// variable that the initialization of this package looks for: packages that are
// initialized earlier are initialized in the reporter, too. On Linux the report is
// complete before the program is gone, also where that is the first process of a
// container; on other systems it may come a moment later. No reporter is started by a
// plugin or a library, because the program would not be one, nor in QEMU's user mode,
// where what is forked may hang.
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
		t, err := startReporter()
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

// Owns reports whether b is memory of this package, freed or not. It takes no lock.
func Owns(b []byte) bool {
	a := started.Load()
	return a != nil && a.mem.owns(address(b))
}

// Live returns the number of live mappings, the bound on it, and the number of
// requests that were refused.
func Live() (n, bound int, refused uint64) {
	if a := started.Load(); a != nil {
		return a.count()
	}
	return 0, 0, 0
}
