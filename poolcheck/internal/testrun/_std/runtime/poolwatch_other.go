//go:build !linux

package runtime

import _ "unsafe"

//go:linkname poolwatch_setFaultRange internal/poolwatch.setFaultRange
func poolwatch_setFaultRange(start, size, slot uintptr) {}

//go:linkname poolwatch_nextFault internal/poolwatch.nextFault
func poolwatch_nextFault() (addr uintptr, pcs []uintptr) { return 0, nil }
