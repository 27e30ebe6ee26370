//go:build !((amd64 || arm64) && go1.26 && !go1.28 && !octet_purego && !plan9)

package rt

// ReturnAddresses stores nothing and returns 0: the caller uses runtime.Callers.
func ReturnAddresses(*[32]uintptr) int { return 0 }

// Expand returns its argument, which is from runtime.Callers.
func Expand(pcs []uintptr) []uintptr { return pcs }
