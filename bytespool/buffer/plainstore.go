//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego

package buffer

import (
	"sync/atomic"
	"unsafe"
)

// set is v.Store(n) where nobody else changes v, and who reads it may see it
// late. On amd64 an atomic store is an exchange, which waits for all stores
// before it.
//
// Sound: an aligned store of a 64-bit machine is not torn. Whoever hands a Buffer
// on orders this before what the receiver does, as it does all plain stores to
// the Buffer.
func set(v *atomic.Int64, n int64) { *(*int64)(unsafe.Pointer(v)) = n }
