package bytespool

import (
	"math"
	"strconv"
)

// What this file has is for programs written for the earlier package: other names
// for functions, and shorthands. The RuntimeStats family is in runtimestats.go.

// Get is the same as [CapacityPools.New].
//
// Deprecated: use [CapacityPools.New].
func (p *CapacityPools) Get(size int) []byte { return p.pool.New(size) }

// Put is [CapacityPools.Release] without a result.
//
// Deprecated: use [CapacityPools.Release].
func (p *CapacityPools) Put(buf []byte) { p.pool.Release(buf) }

// Clone is the same as [CapacityPools.NewBytes]. The caller keeps buf as well.
//
// Deprecated: use [CapacityPools.NewBytes].
func (p *CapacityPools) Clone(buf []byte) []byte { return p.NewBytes(buf) }

// New64 is [CapacityPools.New]. It panics if size does not fit an int.
//
// Deprecated: use [CapacityPools.New].
func (p *CapacityPools) New64(size uint64) []byte { return p.pool.New(toInt(size)) }

// Make64 is [CapacityPools.Make]. It panics if capacity does not fit an int.
//
// Deprecated: use [CapacityPools.Make].
func (p *CapacityPools) Make64(capacity uint64) []byte { return p.Make(toInt(capacity)) }

func toInt(n uint64) int {
	if n > math.MaxInt {
		panic("bytespool: size " + strconv.FormatUint(n, 10) + " does not fit an int")
	}
	return int(n)
}

// NewMin returns a slice of length [CapacityPools.MinSize].
//
// Deprecated: use [CapacityPools.New].
func (p *CapacityPools) NewMin() []byte { return p.pool.New(p.MinSize()) }

// NewMax returns a slice of length [CapacityPools.MaxSize].
//
// Deprecated: use [CapacityPools.New].
func (p *CapacityPools) NewMax() []byte { return p.pool.New(p.MaxSize()) }

// MakeMin returns a slice of length 0 with room for [CapacityPools.MinSize] bytes.
//
// Deprecated: use [CapacityPools.Make].
func (p *CapacityPools) MakeMin() []byte { return p.NewMin()[:0] }

// MakeMax returns a slice of length 0 with room for [CapacityPools.MaxSize] bytes.
//
// Deprecated: use [CapacityPools.Make].
func (p *CapacityPools) MakeMax() []byte { return p.NewMax()[:0] }

// Get is the same as [New].
//
// Deprecated: use [New].
func Get(size int) []byte { return DefaultCapacityPools.pool.New(size) }

// Put is [Release] without a result.
//
// Deprecated: use [Release].
func Put(buf []byte) { DefaultCapacityPools.pool.Release(buf) }

// Clone is the same as [NewBytes]. The caller keeps buf as well.
//
// Deprecated: use [NewBytes].
func Clone(buf []byte) []byte { return DefaultCapacityPools.NewBytes(buf) }

// New64 is [New]. It panics if size does not fit an int.
//
// Deprecated: use [New].
func New64(size uint64) []byte { return DefaultCapacityPools.New64(size) }

// Make64 is [Make]. It panics if capacity does not fit an int.
//
// Deprecated: use [Make].
func Make64(capacity uint64) []byte { return DefaultCapacityPools.Make64(capacity) }

// NewMin returns a slice of length [MinSize].
//
// Deprecated: use [New].
func NewMin() []byte { return DefaultCapacityPools.NewMin() }

// NewMax returns a slice of length [MaxSize].
//
// Deprecated: use [New].
func NewMax() []byte { return DefaultCapacityPools.NewMax() }

// MakeMin returns a slice of length 0 with room for [MinSize] bytes.
//
// Deprecated: use [Make].
func MakeMin() []byte { return DefaultCapacityPools.MakeMin() }

// MakeMax returns a slice of length 0 with room for [MaxSize] bytes.
//
// Deprecated: use [Make].
func MakeMax() []byte { return DefaultCapacityPools.MakeMax() }
