//go:build !(go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego)

package buffer

import "sync/atomic"

// set is v.Store(n) where nobody else changes v, and who reads it may see it
// late.
func set(v *atomic.Int64, n int64) { v.Store(n) }
