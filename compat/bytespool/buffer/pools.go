package buffer

import (
	"sync/atomic"

	octet "github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/compat/bytespool"
)

// A source is where Buffers come from.
type source struct {
	pools   *bytespool.CapacityPools
	buffers *buffer.Pool // of pools
}

var active atomic.Pointer[source] // never nil

func init() { use(bytespool.DefaultCapacityPools) } // with the statistics that these have

func use(p *bytespool.CapacityPools) {
	active.Store(&source{pools: p, buffers: buffer.NewPool(p.Pool)})
}

// MinSize returns the smallest size of the pools.
func MinSize() int { return active.Load().pools.MinSize() }

// MaxSize returns the largest size of the pools. Larger buffers are allocated.
func MaxSize() int { return active.Load().pools.MaxSize() }

// SetCapacity makes the package use new pools, for arrays of minSize to maxSize bytes. Until
// it is called, it uses those of package bytespool, as Buffers that the program declares
// always do. Buffers in use stay with the pools that they came from.
func SetCapacity(minSize, maxSize int) {
	use(&bytespool.CapacityPools{Pool: octet.NewPool(octet.WithSizes(minSize, maxSize), octet.WithName("buffer"))})
}

// SetWithStats switches [RuntimeStats] and [RuntimeStatsSummary] on or off.
func SetWithStats(on bool) { active.Load().pools.SetWithStats(on) }

// GetWithStats reports whether they are switched on.
func GetWithStats() bool { return active.Load().pools.GetWithStats() }

// RuntimeStats is [bytespool.RuntimeStats] of the package's pools.
func RuntimeStats() map[string]uint64 { return bytespool.RuntimeStats(active.Load().pools) }

// RuntimeStatsSummary is [bytespool.RuntimeStatsSummary] of the package's pools.
func RuntimeStatsSummary(topN int) bytespool.RuntimeSummary {
	return bytespool.RuntimeStatsSummary(topN, active.Load().pools)
}
