package buffer

import (
	"context"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
)

// A Pool hands out Buffers with the memory of pools of its own: see [NewPool].
//
// The zero value takes memory from the default pools, as [Get] does, and is ready to use.
// Pools with the same memory share what is idle. A Pool is safe for concurrent use, and must not be copied after first
// use.
type Pool struct {
	from atomic.Pointer[source] // nil until the first use of a zero Pool
}

// NewPool returns a Pool of Buffers whose arrays come from p and return there. All of p's
// options hold for it, and what it has in use and idle counts in p's Stats. It keeps p
// alive.
func NewPool(p *bytespool.Pool) *Pool {
	pool := new(Pool)
	pool.from.Store(newSource(engine.Of(p)))
	return pool
}

// Get returns an empty Buffer with room for at least 64 bytes. It belongs
// to the caller until [Buffer.Release]. Its array may be larger, as with [Get].
func (p *Pool) Get() *Buffer { return p.source().getAny() }

// Make is [Make] with the memory of the Pool.
func (p *Pool) Make(capacity int) *Buffer { return p.source().make(capacity) }

// TryGet is [Pool.Make] if the limit of the pools allows it (see [bytespool.WithLimit]), and
// otherwise returns [bytespool.ErrLimit] at once. Without a limit it always succeeds.
//
// The Buffer also asks for the arrays that it grows to: Write, WriteString, WriteByte, WriteRune and
// ReadFrom return ErrLimit if a larger array would exceed the limit, and lose nothing. The
// caller then gives up and releases the Buffer, or writes on when there is room. While the content
// moves to a larger array, both arrays count, and there must be room for both. All other
// methods grow as those of any Buffer do: they succeed, and count.
func (p *Pool) TryGet(capacity int) (*Buffer, error) { return p.source().tryGet(capacity) }

// Acquire is [Pool.TryGet], but waits for room until ctx ends, as [bytespool.Pool.Acquire]
// does. It waits for the first array alone: a Buffer that grows does not wait.
func (p *Pool) Acquire(ctx context.Context, capacity int) (*Buffer, error) {
	return p.source().acquire(ctx, capacity)
}

// NewBuffer returns a Buffer whose content is buf, a slice of the pools that the Pool takes
// its memory from. The Buffer owns buf's array from now on: the caller must not use buf any
// more, and the last Release gives the array back to those pools. It asks for what it grows
// by, as one of [Pool.TryGet] does. It panics with [ErrTooLarge] if buf is longer than 2 GiB
// - 1.
func (p *Pool) NewBuffer(buf []byte) *Buffer { return p.source().over(buf, true) }

// source returns the source of p's Buffers.
func (p *Pool) source() *source {
	if s := p.from.Load(); s != nil {
		return s
	}
	p.from.CompareAndSwap(nil, newSource(shared.engine))
	return p.from.Load()
}
