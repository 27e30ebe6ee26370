package bytespool

import (
	"math"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// An Allocator hands out slices of a [Pool] that begin at multiples of 64
// bytes and are cleared. It satisfies the interface Allocator of
// github.com/apache/arrow-go/v18/arrow/memory.
//
// Make one with [NewAllocator]. It is safe for concurrent use.
type Allocator struct{ pool *engine.Pool }

// NewAllocator returns an Allocator of slices of p. All of p's options hold for it, and
// what it has in use and idle counts in p's Stats. It keeps p alive. It clears whatever
// p's [ClearPolicy] says: arrow leaves gaps in what it writes, such as the values of
// nulls, and reads and sends them. So p need not clear.
func NewAllocator(p *Pool) *Allocator { return &Allocator{&p.pool} }

// alignment is that of all slices: as long as the registers of AVX-512 and a cache
// line.
const alignment = 64

// Allocate returns a slice of length size, which belongs to the caller until
// [Allocator.Free]. All of its bytes are 0. Its first byte lies at a multiple of 64. It
// has the capacity of its class, as with [Pool.New], and at least 64. A size of
// 0 or less takes nothing from the pool. Allocate panics if size is larger than any
// slice can be.
func (a *Allocator) Allocate(size int) []byte {
	if size <= 0 {
		return []byte{}
	}
	b := a.aligned(size)[:size]
	clear(b)
	return b
}

// aligned returns a slice with room for size bytes, more than 0.
func (a *Allocator) aligned(size int) []byte {
	n := size
	if n <= math.MaxInt-alignment { // or New rejects it
		n = (n + alignment - 1) &^ (alignment - 1)
	}
	if sanitize.Enabled {
		n = max(n, 128) // AddressSanitizer adds 32 bytes to blocks of 64, which are not aligned then
	}
	b := a.pool.New(n)
	if isAligned(b) {
		return b
	}
	if check.Sees(b) { // sampled slices are not aligned
		a.pool.Release(b)
		b = a.pool.NewOwned(n)
		a.pool.Charge(cap(b))
		if isAligned(b) {
			return b
		}
	}
	// It was made elsewhere and released into the pool. Another one takes its place.
	n = cap(b)
	if c := a.pool.Counted(n); c >= size { // an odd capacity would be taken for that of a slice without its front
		a.pool.Settle(int64(n), c)
		n = c
	}
	b = rt.DirtyBytes(n + alignment)
	skip := -int(rt.Address(b)) & (alignment - 1)
	return b[skip : skip+n : skip+n]
}

// isAligned reports whether b begins at a multiple of 64.
func isAligned(b []byte) bool { return rt.Address(b)%alignment == 0 }

// Reallocate returns a slice of length size with the content of b, as far as it fits;
// further bytes are 0. If the capacity of b has room it is the same memory. Otherwise
// b is freed and must not be used any more. A nil b counts as empty, and a size below 0
// as 0: then b keeps its memory, and the caller still frees it.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	size = max(size, 0)
	if cap(b) == 0 {
		return a.Allocate(size)
	}
	if size <= cap(b) && isAligned(b) {
		old := min(len(b), size)
		b = b[:size]
		clear(b[old:])
		return b
	}
	grown := a.aligned(max(size, 1))[:size]
	clear(grown[copy(grown, b):])
	a.Free(b)
	return grown
}

// Free gives b back, as [Pool.Release] does. The caller must not use it any
// more. The length does not matter; the capacity must be as Allocate returned it. Free
// of a nil or empty b does nothing. It is misuse to free a slice twice, as it is to
// release it twice, and package [github.com/octet-go/octet/checked] finds it.
func (a *Allocator) Free(b []byte) { a.pool.Release(b) }
