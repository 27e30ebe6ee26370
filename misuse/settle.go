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

// settle brings to light what a program left behind, and takes from the pools what the
// next one could get of it.
func settle() {
	allKept = append(allKept, kept)
	kept = nil
	if check.Current() != check.Off {
		flush()
	}
	for p := range bytespool.Pools() {
		p.Trim() // a part of an array that was never released may be idle
	}
	if outstanding() != left {
		collect()
	}
}

// flush releases so many slices that those released before leave quarantine.
func flush() {
	for range check.MaxQuarantined + 1 {
		bytespool.Release(bytespool.New(64))
	}
}

// left is how many slices and Buffers were outstanding after the last collection.
var left int

// collect waits until the collector has taken what is unreachable, and leaks are
// reported: until the number of outstanding slices and Buffers does not change any
// more.
func collect() {
	if check.Current() == check.Off {
		return
	}
	last := outstanding()
	patience := func() int {
		if last == left {
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
	left = last
}

func outstanding() int { return len(new(check.Scope).Outstanding()) }
