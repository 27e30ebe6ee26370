//go:build !((amd64 || arm64) && go1.26 && !go1.28 && !octet_purego && !plan9)

package rt

// ReturnAddresses stores nothing and returns 0: stacks are told apart by
// runtime.Callers.
func ReturnAddresses(*[32]uintptr) int { return 0 }
