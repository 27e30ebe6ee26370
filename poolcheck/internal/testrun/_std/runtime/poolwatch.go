package runtime

import "unsafe"

//go:linkname poolwatch_heapObject internal/poolwatch.heapObject
func poolwatch_heapObject(p uintptr) (base, size uintptr, special bool) {
	s := spanOfHeap(p)
	if s == nil {
		return 0, 0, false
	}
	base, _, _ = findObject(p, 0, 0)
	return base, s.elemsize, s.specials != nil
}

//go:linkname poolwatch_callers internal/poolwatch.callers
func poolwatch_callers(pcs []uintptr) int {
	if tracefpunwindoff() {
		return callers(2, pcs)
	}
	return fpTracebackPCs(unsafe.Pointer(getfp()), pcs)
}

//go:linkname poolwatch_heapMarked internal/poolwatch.heapMarked
func poolwatch_heapMarked() uint64 { return gcController.heapMarked }

//go:linkname poolwatch_getenv internal/poolwatch.getenv
func poolwatch_getenv(key string) string { return gogetenv(key) }
