package bytespool

import (
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
)

// A PointerPool hands out slices of a [Pool] as pointers to slice headers. It
// is for programs that pass slices by pointer: putting a []byte into a sync.Pool or an
// interface allocates a header, and a PointerPool keeps header and array together, in
// one operation. It satisfies the interface BufferPool of google.golang.org/grpc/mem:
//
//	pool := bytespool.NewPointerPool(pools)
//	experimental.SetDefaultBufferPool(pool)                 // for clients and codecs
//	server := grpc.NewServer(experimental.BufferPool(pool)) // servers chose their default before
//
// Make one with [NewPointerPool]. It is safe for concurrent use.
type PointerPool struct {
	headers engine.Objects[[]byte]
	joined  bool // header and array come and go together
}

// NewPointerPool returns a PointerPool of slices of p. All of p's options hold for it,
// and what it keeps counts in p's Stats. At a limit ([WithLimit]) Get succeeds, as New
// does. It keeps p alive. Several of one p share what they keep.
//
// It follows p's [ClearPolicy]: unless p has [ClearOnGet], slices may show what others
// wrote to them before. The default pool of grpc-go clears all slices; its own code
// does not depend on it, but a codec of yours may. In pools that clear, header and
// array are two operations.
func NewPointerPool(p *Pool) *PointerPool {
	return &PointerPool{
		headers: engine.ObjectsOf[[]byte](&p.pool),
		joined:  canHide && !sanitize.Enabled && p.pool.Clears() == engine.ClearNever,
	}
}

// Get returns a pointer to a slice of the given length, as [Pool.New] makes
// it. Slice and pointer belong to the caller until [PointerPool.Put]. The caller may
// make the slice longer, up to its capacity, or shorter, or replace it.
func (p *PointerPool) Get(length int) *[]byte {
	if !p.joined || uint(length) > engine.MaxClassed {
		return p.withHeader(p.headers.Pool().New(length))
	}
	pool := p.headers.Pool()
	k := pool.Class(length)
	b, capacity := p.headers.TryTake(k, length) // nothing in a pool with a limit
	if b == nil {
		if pool.Limited() {
			n := pool.CapacityOf(length)
			pool.Charge(n)
			return p.admitted(length, int64(n))
		}
		var track bool
		if b, capacity, track = p.headers.Take(k, length, 0); b == nil {
			return p.fresh(k, length, track)
		}
	}
	if !show(b, length, int(capacity)) {
		pool.Abandon(int(capacity))
		return p.withHeader(pool.New(length))
	}
	return b
}

// admitted is Get in a pool with a limit, for a request for which n bytes were counted.
func (p *PointerPool) admitted(length int, n int64) *[]byte {
	pool := p.headers.Pool()
	if k := p.class(length); k != engine.NoClass && pool.Capacity(k) == pool.CapacityOf(length) {
		b, capacity, track := p.headers.Take(k, length, n)
		switch {
		case track:
			s := p.headers.NewTracked(k, length)
			pool.Settle(n, cap(s))
			return p.withHeader(s)
		case b != nil:
			pool.Settle(max(n, int64(capacity)), int(capacity))
			if !show(b, length, int(capacity)) {
				pool.Abandon(int(capacity))
				return p.withHeader(pool.New(length))
			}
			return b
		}
	}
	return p.withHeader(pool.NewAdmitted(length, n))
}

// class returns the class of headers whose arrays have room for n bytes, or engine.NoClass.
func (p *PointerPool) class(n int) uint8 {
	if !p.joined || n > engine.MaxClassed {
		return engine.NoClass
	}
	return p.headers.Pool().Class(n)
}

// fresh is Get in a pool without a limit where no header with an array of class k is idle. If
// track is set, package check tracks the slice.
func (p *PointerPool) fresh(k uint8, length int, track bool) *[]byte {
	if track {
		return p.withHeader(p.headers.NewTracked(k, length))
	}
	return p.withHeader(p.headers.Pool().New(length))
}

// withHeader returns a pointer to s.
func (p *PointerPool) withHeader(s []byte) *[]byte {
	if check.Sees(s) {
		return check.WithHeader(s)
	}
	b, _ := p.headers.TakeBare()
	if b == nil {
		b = new([]byte)
	}
	*b = s
	return b
}

// Put gives b and the slice that it points at back. The caller must not use either any
// more: the pool keeps both, and Get hands them out again. So b must not be the address of
// a variable or a field that the program goes on using. The length of the slice does not
// matter.
//
// The pool takes the slice as [Pool.Release] does, whoever made it. If the
// caller has replaced *b, the array that Get returned is left to the collector. Put does
// nothing if b is nil, or *b has a capacity of 0 or 1.
//
// A second Put of b does nothing, unless Get has handed b out again: then it takes b
// away from its new owner. Package [github.com/octet-go/octet/checked] reports every
// second Put while it checks every slice. If the caller writes a slice to *b after Put,
// Get notices and leaves b and the array to the collector.
func (p *PointerPool) Put(b *[]byte) {
	if b == nil || check.Current() != check.Off && p.putChecked(b) || cap(*b) == 0 || cap(*b) == hiddenCap {
		return
	}
	s, pool := *b, p.headers.Pool()
	if p.joined {
		hide(b)
		n := cap(s)
		// A slice with more than its class goes to the pool alone, which knows how much it has.
		if n == pool.Capacity(p.class(n)) && p.headers.Put(b, n) != engine.Foreign {
			return
		}
	}
	*b = nil
	pool.Release(s)
	p.headers.PutBare(b)
}

// putChecked is Put while something is checked. It reports whether it has put b: else
// neither header nor array is tracked. *b stays as it is, so that a second Put is seen.
func (p *PointerPool) putChecked(b *[]byte) bool {
	if !check.EndHeader(b) && !check.Sees(*b) {
		return false
	}
	p.headers.Pool().Release(*b)
	return true
}

// hiddenCap is the capacity that the header of an idle slice shows. No class is as
// small: so Put recognises a header that was put before.
const hiddenCap = 1
