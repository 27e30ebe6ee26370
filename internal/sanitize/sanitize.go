//go:build !race && !asan

// Package sanitize tells the race detector (go build -race) and AddressSanitizer
// (go build -asan) which pooled memory is nobody's at the moment, so that they
// report whoever still touches it. In other builds it does nothing.
//
// File race.go says what the race detector can remember, and file asan.go how
// exact AddressSanitizer is.
package sanitize

// Enabled tells whether the program was built with -race or -asan. It is a
// constant, so that what depends on it costs nothing in other builds.
const Enabled = false

// Released says that the memory of b, up to its capacity, is nobody's until the
// next call of Reused. The caller owned it until now.
func Released(b []byte) {}

// Reused says that the memory of b, up to its capacity, is about to be handed
// out: the calling goroutine may use it, and so may whoever receives it from
// there. b must begin where the slice given to Released began. Memory that was
// never released may be given too.
func Reused(b []byte) {}
