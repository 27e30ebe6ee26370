//go:build !((amd64 || arm64) && go1.26 && !go1.28 && !octet_purego && !plan9)

package check

// returnAddresses stores nothing here: stacks are told apart by runtime.Callers.
func returnAddresses(*[frameDepth]uintptr) int { return 0 }
