//go:build !(go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego)

package buffer

import "sync/atomic"

// setRefs is refs.Store(n) where nobody else changes refs, and who reads it may
// see it late.
func setRefs(refs *atomic.Int64, n int64) { refs.Store(n) }
