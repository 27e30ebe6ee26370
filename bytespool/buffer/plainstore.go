//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego

package buffer

import (
	"sync/atomic"
	"unsafe"
)

// setRefs is refs.Store(n) where nobody else changes refs, and who reads it may
// see it late. On amd64 an atomic store is an exchange, which waits for all
// stores before it.
//
// Sound: an aligned store of a 64-bit machine is not torn. Whoever hands the
// Buffer on orders it before what the receiver does, as it does all plain stores
// to the Buffer.
func setRefs(refs *atomic.Int64, n int64) { *(*int64)(unsafe.Pointer(refs)) = n }
