// Package collection calls a function after garbage collections.
package collection

import (
	"runtime"
	"sync/atomic"
)

var (
	armed atomic.Bool // a sentinel waits for the next collection
	then  func()
)

// A sentinel is found unreachable by the next collection, which runs its finalizer.
// (Cleanups of a processor that GOMAXPROCS takes away wait until it comes back: Go 1.25 to
// 1.27.)
type sentinel struct{ _ *sentinel }

// After names the function that is called. Call it once, before the first Arm.
func After(f func()) { then = f }

// Arm has the function called once, after the next collection, also if it is called again
// before that: so it costs a load. Whoever arms while the function runs is heard, too.
func Arm() {
	if !armed.Load() {
		arm()
	}
}

func arm() {
	if armed.CompareAndSwap(false, true) {
		runtime.SetFinalizer(new(sentinel), (*sentinel).collected)
	}
}

func (*sentinel) collected() {
	armed.Store(false) // first: what then does not see any more arms again
	then()
}
