package interleave

import (
	"sync/atomic"
	"unsafe"
)

// Access is a step that reads or writes plain memory. It goes before an access to
// memory that other threads may change.
func Access[T any](addr *T, write bool) {
	before(step{name: "Access", word: unsafe.Pointer(addr), write: write})
}

// LoadUint32 is that of sync/atomic, as a step.
func LoadUint32(addr *uint32) uint32 {
	before(step{name: "LoadUint32", word: unsafe.Pointer(addr)})
	return atomic.LoadUint32(addr)
}

// A Pointer is an atomic.Pointer whose methods are steps.
type Pointer[T any] struct{ p atomic.Pointer[T] }

func (x *Pointer[T]) Load() *T {
	before(step{name: "Pointer.Load", word: unsafe.Pointer(x)})
	return x.p.Load()
}

func (x *Pointer[T]) Store(val *T) {
	before(step{name: "Pointer.Store", word: unsafe.Pointer(x), write: true})
	x.p.Store(val)
}

// An Int64 is an atomic.Int64 whose methods are steps.
type Int64 struct{ n atomic.Int64 }

func (x *Int64) Load() int64 {
	before(step{name: "Int64.Load", word: unsafe.Pointer(x)})
	return x.n.Load()
}

func (x *Int64) Store(val int64) {
	before(step{name: "Int64.Store", word: unsafe.Pointer(x), write: true})
	x.n.Store(val)
}

func (x *Int64) Add(delta int64) int64 {
	before(step{name: "Int64.Add", word: unsafe.Pointer(x), write: true})
	return x.n.Add(delta)
}

func (x *Int64) CompareAndSwap(old, new int64) bool {
	before(step{name: "Int64.CompareAndSwap", word: unsafe.Pointer(x), write: true})
	return x.n.CompareAndSwap(old, new)
}
