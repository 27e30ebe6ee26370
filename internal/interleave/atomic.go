package interleave

import (
	"sync/atomic"
	"unsafe"
)

// Step is a step that does not commute with any other. Call it before accessing plain
// memory that other threads modify, such as copying a struct.
func Step() { before(step{name: "Step"}) }

// LoadUintptr is that of sync/atomic, as a step.
func LoadUintptr(addr *uintptr) uintptr {
	before(step{name: "LoadUintptr", word: unsafe.Pointer(addr)})
	return atomic.LoadUintptr(addr)
}

// StoreUintptr is that of sync/atomic, as a step.
func StoreUintptr(addr *uintptr, val uintptr) {
	before(step{name: "StoreUintptr", word: unsafe.Pointer(addr), write: true})
	atomic.StoreUintptr(addr, val)
}

// CompareAndSwapUintptr is that of sync/atomic, as a step.
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	before(step{name: "CompareAndSwapUintptr", word: unsafe.Pointer(addr), write: true})
	return atomic.CompareAndSwapUintptr(addr, old, new)
}

// LoadPointer is that of sync/atomic, as a step.
func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	before(step{name: "LoadPointer", word: unsafe.Pointer(addr)})
	return atomic.LoadPointer(addr)
}

// StorePointer is that of sync/atomic, as a step.
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) {
	before(step{name: "StorePointer", word: unsafe.Pointer(addr), write: true})
	atomic.StorePointer(addr, val)
}

// CompareAndSwapPointer is that of sync/atomic, as a step.
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool {
	before(step{name: "CompareAndSwapPointer", word: unsafe.Pointer(addr), write: true})
	return atomic.CompareAndSwapPointer(addr, old, new)
}
