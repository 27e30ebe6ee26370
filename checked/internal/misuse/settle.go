package main

import (
	"runtime"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
)

// use keeps the compiler from dropping what leads to v.
//
//go:noinline
func use[T any](T) {}

// kept is what programs keep for as long as they run.
var kept any

// settle brings to light what a program left behind.
func settle() {
	flush()
	collect()
	use(kept)
}

// flush releases so much that what was released before leaves quarantine.
func flush() {
	if check.Current() == check.Off {
		return
	}
	for range check.MaxQuarantined + 1 {
		bytespool.Release(bytespool.New(64))
	}
}

// collect waits until the collector took what nobody refers to, and leaks were
// told: until nothing of what is outstanding goes any more.
func collect() {
	if check.Current() == check.Off {
		return
	}
	last := outstanding()
	patience := 20
	if last == 0 {
		patience = 3 // for leaks of what should not be told
	}
	for same := 0; same < patience; same++ {
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
