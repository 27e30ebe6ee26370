//go:build go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race && !octet_purego

package rt

import (
	"sync/atomic"
	"unsafe"
)

// PlainStores reports whether Store is a plain store.
const PlainStores = true

// Store is v.Store(n) for the only goroutine that changes v at the moment, where
// others may see n late. On amd64 an atomic store is an exchange, which waits for
// all stores before it.
//
// Sound: a 64-bit machine does not tear an aligned store. Whatever hands v to another
// goroutine orders this store before what that does, as it orders all plain stores.
func Store(v *atomic.Int64, n int64) { *(*int64)(unsafe.Pointer(v)) = n }
