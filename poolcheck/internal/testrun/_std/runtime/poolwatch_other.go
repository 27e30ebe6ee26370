//go:build !linux

package runtime

import "unsafe"

//go:linkname poolwatch_reserve internal/poolwatch.reserve
func poolwatch_reserve(n, slot uintptr) unsafe.Pointer { return nil }

//go:linkname poolwatch_protect internal/poolwatch.protect
func poolwatch_protect(p, n uintptr, accessible bool) bool { return false }

//go:linkname poolwatch_discard internal/poolwatch.discard
func poolwatch_discard(p unsafe.Pointer, n uintptr) {}

//go:linkname poolwatch_nextFault internal/poolwatch.nextFault
func poolwatch_nextFault() (addr uintptr, pcs []uintptr) { return 0, nil }
