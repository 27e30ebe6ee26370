package main

import (
	"runtime"
	"time"

	"github.com/octet-go/octet/bytespool"
	_ "github.com/octet-go/octet/checked" // has guarded memory
	"github.com/octet-go/octet/internal/check"
)

// use keeps the compiler from removing the computation of its argument.
//
//go:noinline
func use[T any](T) {}

// kept is what a program keeps for as long as the process runs.
var kept any

// allKept is what programs kept before.
var allKept []any

// keep keeps what a program kept, so that the next one can keep something else.
func keep() {
	allKept = append(allKept, kept)
	kept = nil
}

// settle brings to light what a program left behind.
func settle() {
	flush()
	collect()
	use(allKept)
}

// flush releases so many slices that those released before leave quarantine.
func flush() {
	if check.Current() == check.Off {
		return
	}
	for range check.MaxQuarantined + 1 {
		bytespool.Release(bytespool.New(64))
	}
}

// collect waits until the collector has taken what is unreachable, and leaks are
// reported: until the number of outstanding slices and Buffers does not change any
// more. The pools let go of what they keep idle, which may be a part of an array
// that was never released.
func collect() {
	if check.Current() == check.Off {
		return
	}
	for p := range bytespool.Pools() {
		p.Trim()
	}
	last := outstanding()
	patience := func() int {
		if last == 0 {
			return 3 // for leaks that should not be reported
		}
		return 20
	}
	for same := 0; same < patience(); same++ {
		done := make(chan bool)
		runtime.AddCleanup(new([64]byte), func(done chan bool) { close(done) }, done)
		runtime.GC()
		<-done
		time.Sleep(2 * time.Millisecond)
		if n := outstanding(); n != last {
			last, same = n, 0
		}
	}
}

func outstanding() int { return len(new(check.Scope).Outstanding()) }
