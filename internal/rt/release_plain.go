//go:build !(arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64)

package rt

// StoreRelease is *p = n for the only goroutine that changes *p at the moment, where
// others that see n atomically must see what was stored before, too. Here processors
// keep stores in order, or no two goroutines look without a lock: see Pinned.
func StoreRelease(p *uint64, n uint64) { *p = n }
