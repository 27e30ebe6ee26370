package buffer

import (
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
)

// A source is where Buffers come from.
type source struct {
	pools   *bytespool.CapacityPools
	own     bool                   // given by the program; otherwise pools is what DefaultCapacityPools was
	engine  *engine.Pool           // of pools
	objects engine.Objects[Buffer] // of engine: the idle Buffers

	_      [64]byte                    // those that change what follows slow down nobody who reads the rest
	recent atomic.Pointer[engine.Head] // the class of the Buffer that was released last, or of one before; nil at first
}

var (
	active   atomic.Pointer[source] // never nil
	changing sync.Mutex             // held to store active
)

func init() { setSource(bytespool.DefaultCapacityPools, false) }

func setSource(pools *bytespool.CapacityPools, own bool) *source {
	s := newSource(pools, own, engine.Of(pools))
	active.Store(s)
	return s
}

// newSource returns a source of Buffers with slices of p, which is in pools.
func newSource(pools *bytespool.CapacityPools, own bool, p *engine.Pool) *source {
	return &source{pools: pools, own: own, engine: p, objects: engine.ObjectsOf[Buffer](p)}
}

// current returns the source that Buffers come from now.
func current() *source { return active.Load().or(follow) }

// or returns s if the program has not replaced DefaultCapacityPools, and the result
// of slow otherwise. Slow is a parameter because the compiler then inlines current: in
// its reckoning a call of a parameter is cheaper than one of a function, though it
// becomes one by inlining.
func (s *source) or(slow func() *source) *source {
	if s.pools == bytespool.DefaultCapacityPools || s.own {
		return s
	}
	return slow()
}

// follow replaces the source if the program has replaced DefaultCapacityPools.
func follow() *source {
	changing.Lock()
	defer changing.Unlock()
	if s := active.Load(); s.own || s.pools == bytespool.DefaultCapacityPools {
		return s
	}
	return setSource(bytespool.DefaultCapacityPools, false)
}

// source returns where the memory of b comes from.
func (b *Buffer) source() *source {
	if b.home == nil {
		return current()
	}
	return b.home
}

// Pools returns the pools that the package uses: those of SetPools, or
// bytespool.DefaultCapacityPools. An idle Buffer keeps its array; their statistics
// count the array as released with the Buffer, and as requested again with it.
func Pools() *bytespool.CapacityPools { return current().pools }

// SetPools makes the package use p, which may have bounds of its own, a name and other
// options, such as [bytespool.WithRetain]. Until it is called, or if p is nil, the package
// uses bytespool.DefaultCapacityPools.
//
// It is safe while Buffers are in use. Existing ones stay with the pools that they
// came from: they grow from them and return to them, so that the statistics of the
// old pools add up. What these keep idle goes to the collector as usual.
func SetPools(p *bytespool.CapacityPools) {
	changing.Lock()
	defer changing.Unlock()
	if p == nil {
		setSource(bytespool.DefaultCapacityPools, false)
	} else {
		setSource(p, true)
	}
}
