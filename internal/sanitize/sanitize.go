//go:build !race && !asan

// Package sanitize tells the race detector (go build -race) and AddressSanitizer
// (go build -asan) which pooled memory nobody owns at the moment, so that they report
// any access to it. In other builds it does nothing.
//
// The file race.go says how much the race detector remembers, and asan.go how exact
// AddressSanitizer is.
package sanitize

// Enabled says whether the program was built with -race or -asan. It is a constant, so
// that code which depends on it costs nothing in other builds.
const Enabled = false

// Released says that nobody owns the memory of b, up to its capacity, until the next
// call of Reused. The caller has owned it until now.
func Released(b []byte) {}

// Reused says that the memory of b, up to its capacity, is about to be handed out: the
// calling goroutine may use it, and so may those that it passes it on to. b must begin
// where the slice that was given to Released began. Memory that was never released
// may be given as well.
func Reused(b []byte) {}
