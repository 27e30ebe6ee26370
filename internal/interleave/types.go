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

// A word has the atomic type A of values V. Its methods are steps.
type word[V, A any, P interface {
	*A
	Load() V
	Store(V)
}] struct{ a A }

func (x *word[V, A, P]) Load() V {
	before(step{name: "Load", word: unsafe.Pointer(x)})
	return P(&x.a).Load()
}

func (x *word[V, A, P]) Store(val V) {
	before(step{name: "Store", word: unsafe.Pointer(x), write: true})
	P(&x.a).Store(val)
}

// These are those of sync/atomic, whose methods are steps.
type (
	Pointer[T any] struct {
		word[*T, atomic.Pointer[T], *atomic.Pointer[T]]
	}

	Int64 struct {
		word[int64, atomic.Int64, *atomic.Int64]
	}
)

func (x *Pointer[T]) CompareAndSwap(old, new *T) bool {
	before(step{name: "Pointer.CompareAndSwap", word: unsafe.Pointer(x), write: true})
	return x.a.CompareAndSwap(old, new)
}

func (x *Int64) Add(delta int64) int64 {
	before(step{name: "Int64.Add", word: unsafe.Pointer(x), write: true})
	return x.a.Add(delta)
}

func (x *Int64) CompareAndSwap(old, new int64) bool {
	before(step{name: "Int64.CompareAndSwap", word: unsafe.Pointer(x), write: true})
	return x.a.CompareAndSwap(old, new)
}
