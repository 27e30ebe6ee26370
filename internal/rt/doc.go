// Package rt is what octet uses of the Go runtime that the language does not
// promise, each beside a portable substitute.
//
// # Map
//
//	pin_*.go     Pin and Unpin: a goroutine stays on its processor
//	stripe*.go   Stripe: spreads goroutines over locks where they cannot be pinned
//	lock*.go     Lock: a try-lock that is cheap to release
//	store_*.go   Store: an atomic word that its only writer stores plainly
//	dirty*.go    DirtyBytes: memory that was not cleared
//	front_*.go   FrontOf: what lies before a slice in its memory
//	label_*.go   CurrentLabel: tells goroutines apart by their profiler labels
//	frames_*.go  ReturnAddresses: a stack in some nanoseconds
//	frames_*.s   the same in assembly
//	address*.go  Address, AddressOf: where something is, as a number
//	bubble.go    InBubble, Bubble: the bubble of testing/synctest; Goroutine: its number; Go:
//	             a goroutine in no bubble
//	doc.go       this map
//
// # Go releases
//
// The runtime tolerates these uses and may change. So only builds with Go releases
// that were tested have them. All build constraints on Go releases are in this
// package, and agree. With a later release octet is slower and works all the same. The
// tag octet_purego selects the substitutes too, and so does the race detector for
// those that it cannot follow. Both variants pass the same tests.
//
// To admit a new release, test with it, and then move the constraints here.
package rt
