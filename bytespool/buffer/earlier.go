package buffer

import "github.com/octet-go/octet/bytespool"

// What this file has is for programs written for the earlier package: other names
// for functions, and shorthands.

// Put is [Buffer.Release] without a result.
//
// Deprecated: use [Buffer.Release].
func (b *Buffer) Put() { b.Release() }

// Put is [Buffer.Release] without a result.
//
// Deprecated: use [Buffer.Release].
func Put(b *Buffer) { b.Release() }

// Release is [Buffer.Release].
//
// Deprecated: use [Buffer.Release].
func Release(b *Buffer) bool { return b.Release() }

// Make64 is [Make]. It panics with [ErrTooLarge] if capacity is above 2 GiB - 1.
//
// Deprecated: use [Make].
func Make64(capacity uint64) *Buffer {
	if capacity > maxSize {
		panic(ErrTooLarge)
	}
	return Make(int(capacity))
}

// MakeMin returns a Buffer with room for MinSize bytes.
//
// Deprecated: use [Make].
func MakeMin() *Buffer { return Make(MinSize()) }

// MakeMax returns a Buffer with room for MaxSize bytes.
//
// Deprecated: use [Make].
func MakeMax() *Buffer { return Make(MaxSize()) }

// Clone is [Buffer.Clone].
//
// Deprecated: use [Buffer.Clone].
func Clone(b *Buffer) *Buffer { return b.Clone() }

// RefReset sets the count to 0.
//
// Deprecated: use [Buffer.RefStore].
func (b *Buffer) RefReset() { b.RefStore(0) }

// SetWithStats switches [RuntimeStats] and [RuntimeStatsSummary] on or off.
//
// Deprecated: use the Stats of [Pools], which are always on.
func SetWithStats(on bool) { current().pools.SetWithStats(on) }

// GetWithStats reports whether statistics are switched on.
//
// Deprecated: use the Stats of [Pools], which are always on.
func GetWithStats() bool { return current().pools.GetWithStats() }

// RuntimeStats is [bytespool.RuntimeStats] of the package's pools.
//
// Deprecated: use the Stats of [Pools].
func RuntimeStats() map[string]uint64 { return bytespool.RuntimeStats(current().pools) }

// RuntimeStatsSummary is [bytespool.RuntimeStatsSummary] of the package's pools.
//
// Deprecated: use the Stats of [Pools].
func RuntimeStatsSummary(topN int) bytespool.RuntimeSummary {
	return bytespool.RuntimeStatsSummary(topN, current().pools)
}
