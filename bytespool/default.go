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
// use it directly, and may replace it before they start goroutines that use it.
var DefaultCapacityPools = NewCapacityPools(defaultMinSize, defaultMaxSize, WithName("default"))

// InitDefaultPools changes the bounds of [DefaultCapacityPools] as if it had been
// made with them. It is safe at any time: slices in use stay valid. Those that no
// longer fit are rejected when they are released, and [Stats.InUse] goes on
// counting them. A zero CapacityPools stays one.
func InitDefaultPools(minSize, maxSize int) {
	DefaultCapacityPools.pool.Reconfigure(minSize, maxSize)
}

// New is [CapacityPools.New] of the default pools.
func New(size int) []byte { return DefaultCapacityPools.pool.New(size) }

// Get is the same as [New].
func Get(size int) []byte { return DefaultCapacityPools.pool.New(size) }

// Make is [CapacityPools.Make] of the default pools.
func Make(capacity int) []byte { return DefaultCapacityPools.Make(capacity) }

// New64 is [CapacityPools.New64] of the default pools.
func New64(size uint64) []byte { return DefaultCapacityPools.New64(size) }

// Make64 is [CapacityPools.Make64] of the default pools.
func Make64(capacity uint64) []byte { return DefaultCapacityPools.Make64(capacity) }

// NewMin is [CapacityPools.NewMin] of the default pools.
func NewMin() []byte { return DefaultCapacityPools.NewMin() }

// NewMax is [CapacityPools.NewMax] of the default pools.
func NewMax() []byte { return DefaultCapacityPools.NewMax() }

// MakeMin is [CapacityPools.MakeMin] of the default pools.
func MakeMin() []byte { return DefaultCapacityPools.MakeMin() }

// MakeMax is [CapacityPools.MakeMax] of the default pools.
func MakeMax() []byte { return DefaultCapacityPools.MakeMax() }

// NewBytes is [CapacityPools.NewBytes] of the default pools.
func NewBytes(bs []byte) []byte { return DefaultCapacityPools.NewBytes(bs) }

// NewString is [CapacityPools.NewString] of the default pools.
func NewString(s string) []byte { return DefaultCapacityPools.NewString(s) }

// Clone is [CapacityPools.Clone] of the default pools.
func Clone(buf []byte) []byte { return DefaultCapacityPools.Clone(buf) }

// Append is [CapacityPools.Append] of the default pools.
func Append(buf []byte, elems ...byte) []byte { return DefaultCapacityPools.Append(buf, elems...) }

// AppendString is [CapacityPools.AppendString] of the default pools.
func AppendString(buf []byte, elems string) []byte {
	return DefaultCapacityPools.AppendString(buf, elems)
}

// Put is [CapacityPools.Put] of the default pools.
func Put(buf []byte) { DefaultCapacityPools.pool.Release(buf) }

// Release is [CapacityPools.Release] of the default pools.
func Release(buf []byte) bool { return DefaultCapacityPools.pool.Release(buf) }

// MinSize is [CapacityPools.MinSize] of the default pools.
func MinSize() int { return DefaultCapacityPools.MinSize() }

// MaxSize is [CapacityPools.MaxSize] of the default pools.
func MaxSize() int { return DefaultCapacityPools.MaxSize() }

// SetWithStats is [CapacityPools.SetWithStats] of the default pools.
//
// Deprecated: use [CapacityPools.Stats], which is always on.
func SetWithStats(on bool) { DefaultCapacityPools.SetWithStats(on) }

// GetWithStats is [CapacityPools.GetWithStats] of the default pools.
//
// Deprecated: use [CapacityPools.Stats], which is always on.
func GetWithStats() bool { return DefaultCapacityPools.GetWithStats() }
