package poolwatch

import (
	"internal/abi"
	"sync/atomic"
	"unsafe"
)

// A pool of slices may have a pool of pointers beside it, so that a slice is put without an allocation. Its
// Get takes a pointer from the first, copies the slice, and puts the pointer into the second, where it still
// leads to what the caller of Get has from then on. That does not put the slice: the pointer has only carried it.
//
// So a pointer to a slice that goes to another pool than it came from, with the array that it came with, is not
// watched until it has been taken again.

// brought has, in the place of its hash, for a pointer that was taken which pointer it is, to which array, and from
// which pool; or that it is in a pool and only carries the array. A newer one may take its place: then it is watched.
var brought [4096]atomic.Uint64

const (
	poolBits = 1<<32 - 1
	carrying = 0 // in place of a pool
)

// cargo returns the place for x, and what tells a pointer and its array from others; nil if x is no pointer to a slice.
func (p *Pool) cargo(x any) (where *atomic.Uint64, what uint64) {
	i := (*eface)(unsafe.Pointer(&x))
	switch {
	case i.data == nil || i.typ.Kind() != abi.Pointer:
		return nil, 0
	case i.typ.Elem().Kind() != abi.Slice:
		p.plain.CompareAndSwap(nil, i.typ)
		return nil, 0
	}
	h := (uint64(uintptr(i.data))*0x9e3779b97f4a7c15 ^ uint64(uintptr((*header)(i.data).data))) * 0xff51afd7ed558ccd
	return &brought[h>>52], h << 20 &^ poolBits
}

func (p *Pool) hash() uint64 { return uint64(uintptr(unsafe.Pointer(p)))>>3&poolBits | 1 }

// cameFrom notes from which pool x was taken.
func (p *Pool) cameFrom(x any) {
	if where, what := p.cargo(x); where != nil {
		where.Store(what | p.hash())
	}
}

// carries reports whether x, which is put into a pool, only carries a slice.
func (p *Pool) carries(x any) bool {
	where, what := p.cargo(x)
	if where == nil {
		return false
	}
	word := where.Load()
	if word&^poolBits != what || word == what|p.hash() {
		return false
	}
	where.Store(what | carrying)
	return true
}
