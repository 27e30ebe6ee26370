package bytespool

import "time"

// The bounds of the default pools.
const (
	defaultMinSize = 2
	defaultMaxSize = 4 << 20
)

// defaultRetain is how long pools keep what was used, unless WithRetain says otherwise.
const defaultRetain = time.Second

var defaultPools = NewCapacityPools(defaultMinSize, defaultMaxSize, WithName("default"))

// Default returns the pools that the functions of this package use, for their
// [CapacityPools.Stats] and [CapacityPools.Trim]. For other options, make pools by
// [NewCapacityPools].
func Default() *CapacityPools { return defaultPools }

// New is [CapacityPools.New] of the default pools.
func New(size int) []byte { return defaultPools.pool.New(size) }

// Make is [CapacityPools.Make] of the default pools.
func Make(capacity int) []byte { return defaultPools.Make(capacity) }

// Append is [CapacityPools.Append] of the default pools.
func Append(buf []byte, elems ...byte) []byte { return defaultPools.Append(buf, elems...) }

// Release is [CapacityPools.Release] of the default pools.
func Release(buf []byte) { defaultPools.pool.Release(buf) }

// Abandon is [CapacityPools.Abandon] of the default pools.
func Abandon(buf []byte) { defaultPools.Abandon(buf) }
