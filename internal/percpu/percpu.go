// Package percpu tells code on which processor it runs, so that it can keep
// data that is touched by one processor only.
//
// Where [Pinned] is true, [Pin] holds the goroutine on its processor until
// [Unpin]: nothing else runs there meanwhile, and data of that processor needs
// no lock and no atomic read-modify-write. The runtime tolerates this use and
// does not promise it; hence only Go releases that were tested take it, only
// 64-bit machines, never the race detector and never the tag octet_purego.
//
// Everywhere else, and wherever a caller prefers it, [Stripe] spreads
// goroutines over locks instead.
package percpu

// pinned.go and unpinned.go declare
//
//	const Pinned
//	func Pin() int
//	func Unpin()
//
// and stripe.go and stripe_purego.go declare
//
//	func Stripe() uint
