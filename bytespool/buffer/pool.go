package buffer

import (
	"context"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
)

// A Pool hands out Buffers with the memory of pools of its own: see [NewPool].
//
// The zero value takes memory from the pools of the package, as Get does, and is ready to
// use. Pools with the same memory share what is
// idle. A Pool is safe for concurrent use, and must not be copied after first use.
type Pool struct {
	from atomic.Pointer[source] // nil until the first use of a zero Pool
}

// NewPool returns a Pool of Buffers whose arrays come from p and return there. All of p's
// options hold for it, and what it has in use and idle counts in p's Stats. It keeps p
// alive.
func NewPool(p *bytespool.CapacityPools) *Pool {
	pool := new(Pool)
	pool.from.Store(newSource(p, true, engine.Of(p)))
	return pool
}

// Get returns an empty Buffer with room for at least 64 bytes. It belongs
// to the caller until [Buffer.Release], or Put. Its array may be larger, as with [Get].
func (p *Pool) Get() *Buffer { return p.source(current()).getAny() }

// Make is [Make] with the memory of the Pool.
func (p *Pool) Make(capacity int) *Buffer { return p.source(current()).make(capacity) }

// TryGet is [TryGet] with the memory of the Pool, and the limit that it has.
func (p *Pool) TryGet(capacity int) (*Buffer, error) { return p.source(current()).tryGet(capacity) }

// Acquire is [Acquire] with the memory of the Pool, and the limit that it has.
func (p *Pool) Acquire(ctx context.Context, capacity int) (*Buffer, error) {
	return p.source(current()).acquire(ctx, capacity)
}

// NewBuffer returns a Buffer whose content is buf, a slice of the pools that the Pool takes
// its memory from. The Buffer owns buf's array from now on: the caller must not use buf any
// more, and the last Release gives the array back to those pools. It asks for what it grows
// by, as one of [Pool.TryGet] does. It panics with [ErrTooLarge] if buf is longer than 2 GiB
// - 1.
func (p *Pool) NewBuffer(buf []byte) *Buffer { return p.source(current()).over(buf, true) }

// Put is [Buffer.Put]: b returns to the pool that it came from, whichever that is.
func (p *Pool) Put(b *Buffer) { b.Release() }

// source returns the source of p's Buffers. The package's is now.
func (p *Pool) source(now *source) *source {
	if s := p.from.Load(); s != nil && (s.own || s.pools == now.pools) {
		return s
	}
	return p.follow(now)
}

// follow gives p, a zero Pool, a source with the pools that the package uses now.
func (p *Pool) follow(now *source) *source {
	p.from.CompareAndSwap(p.from.Load(), newSource(now.pools, false, now.engine))
	return p.from.Load()
}
