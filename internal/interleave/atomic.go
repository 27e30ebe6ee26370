package interleave

import (
	"sync/atomic"
	"unsafe"
)

// Step is a step that does not commute with any other. Call it before accessing plain
// memory that other threads modify, such as copying a struct.
func Step() { before(step{name: "Step"}) }

// The following are those of sync/atomic, as steps.

func LoadUint32(addr *uint32) uint32                  { return load(addr, atomic.LoadUint32) }
func LoadUintptr(addr *uintptr) uintptr               { return load(addr, atomic.LoadUintptr) }
func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer { return load(addr, atomic.LoadPointer) }

func StoreUintptr(addr *uintptr, val uintptr)               { store(addr, val, atomic.StoreUintptr) }
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) { store(addr, val, atomic.StorePointer) }

func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	return compareAndSwap(addr, old, new, atomic.CompareAndSwapUintptr)
}

func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return compareAndSwap(addr, old, new, atomic.CompareAndSwapPointer)
}

func load[T any](addr *T, f func(*T) T) T {
	before(step{name: "Load", word: unsafe.Pointer(addr)})
	return f(addr)
}

func store[T any](addr *T, val T, f func(*T, T)) {
	before(step{name: "Store", word: unsafe.Pointer(addr), write: true})
	f(addr, val)
}

func compareAndSwap[T any](addr *T, old, new T, f func(addr *T, old, new T) bool) bool {
	before(step{name: "CompareAndSwap", word: unsafe.Pointer(addr), write: true})
	return f(addr, old, new)
}
