package bytespool

import "time"

// The bounds of DefaultCapacityPools.
const (
	defaultMinSize = 2
	defaultMaxSize = 4 << 20
)

// DefaultRetain is how long pools keep what was used, unless [WithRetain] says
// otherwise.
const DefaultRetain = time.Second

// DefaultCapacityPools is what the functions of this package use. Programs may
// use it directly, and may replace it before they start goroutines that use it, for
// example by pools with other options:
//
//	bytespool.DefaultCapacityPools = bytespool.NewCapacityPools(2, 4<<20, bytespool.WithRetain(time.Minute))
var DefaultCapacityPools = NewCapacityPools(defaultMinSize, defaultMaxSize, WithName("default"))

// New is [CapacityPools.New] of the default pools.
func New(size int) []byte { return DefaultCapacityPools.pool.New(size) }

// Make is [CapacityPools.Make] of the default pools.
func Make(capacity int) []byte { return DefaultCapacityPools.Make(capacity) }

// NewBytes is [CapacityPools.NewBytes] of the default pools.
func NewBytes(bs []byte) []byte { return DefaultCapacityPools.NewBytes(bs) }

// NewString is [CapacityPools.NewString] of the default pools.
func NewString(s string) []byte { return DefaultCapacityPools.NewString(s) }

// Append is [CapacityPools.Append] of the default pools.
func Append(buf []byte, elems ...byte) []byte { return DefaultCapacityPools.Append(buf, elems...) }

// AppendString is [CapacityPools.AppendString] of the default pools.
func AppendString(buf []byte, elems string) []byte {
	return DefaultCapacityPools.AppendString(buf, elems)
}

// Release is [CapacityPools.Release] of the default pools.
func Release(buf []byte) bool { return DefaultCapacityPools.pool.Release(buf) }

// Abandon is [CapacityPools.Abandon] of the default pools.
func Abandon(buf []byte) { DefaultCapacityPools.Abandon(buf) }
