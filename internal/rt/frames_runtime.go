//go:build (amd64 || arm64) && go1.26 && !go1.28 && !octet_purego && !plan9

package rt

// ReturnAddresses stores the return addresses of the callers, innermost first,
// and returns how many: at least 1. They tell two stacks apart in some
// nanoseconds, where runtime.Callers takes a microsecond; but only that knows the
// functions that were inlined.
//
// Sound: it reads its own goroutine's stack within the bounds that the runtime
// keeps at the beginning of g, and cannot be preempted, so that the stack does
// not move meanwhile. What it finds is compared and never followed.
//
//go:noescape
func ReturnAddresses(to *[32]uintptr) int
