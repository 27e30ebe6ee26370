package main

import (
	"runtime"
	"runtime/debug"
)

// firstCollection is how much memory the process takes before the garbage collector
// runs for the first time: go vet starts one process a package, and most need less.
const firstCollection = 96 << 20

// delayCollector turns the garbage collector off until the process has taken that
// much. From then on it runs as usual.
func delayCollector() {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(firstCollection)
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
}
