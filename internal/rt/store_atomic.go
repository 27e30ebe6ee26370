//go:build !(go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego)

package rt

import "sync/atomic"

// PlainStores reports whether Store is a plain store.
const PlainStores = false

// Store is v.Store(n) for the only goroutine that changes v at the moment, where
// others may see n late.
func Store(v *atomic.Int64, n int64) { v.Store(n) }
