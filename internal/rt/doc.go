// Package rt is what octet uses of the Go runtime that the language does not
// promise, each beside a portable substitute.
//
//	pin_*.go    Pin and Unpin: a goroutine stays on its processor
//	stripe*.go  Stripe: spreads goroutines over locks where they cannot be pinned
//	lock*.go    Lock: a try-lock that is cheap to release
//	store_*.go  Store: an atomic word that its only writer stores plainly
//	dirty*.go   DirtyBytes: memory that was not cleared
//	label_*.go  CurrentLabel: tells goroutines apart by their profiler labels
//	frames_*    ReturnAddresses: tells stacks apart
//	tested_*.go Tested: whether this Go release was tested
//
// The runtime tolerates these uses. Hence only Go releases that were tested have
// them: all build constraints on Go releases are in this package, and agree. In
// a later release octet is slower and works all the same. The tag octet_purego,
// and where it says so the race detector, select the substitutes too; both
// variants pass the same tests.
//
// To admit a new release, test with it, and then move the constraints here.
package rt
