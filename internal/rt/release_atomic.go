//go:build arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64

package rt

import "sync/atomic"

// StoreRelease is *p = n for the only goroutine that changes *p at the moment, where
// others that see n atomically must see what was stored before, too. These processors
// do not keep stores in order.
func StoreRelease(p *uint64, n uint64) { atomic.StoreUint64(p, n) }
