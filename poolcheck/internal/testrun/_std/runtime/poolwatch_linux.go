package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// Faults in the memory of package poolwatch. The handler of the signal notes where they happen and makes the
// memory accessible, so that the instruction runs again.

const poolwatchFrames = 40

var poolwatchFaults struct {
	start, end, slot uintptr
	n, read          uint32
	list             [64]struct {
		addr  uintptr
		depth int
		pcs   [poolwatchFrames]uintptr
		done  atomic.Uint32
	}
}

// poolwatchFault reports whether a signal is such a fault.
//
//go:nowritebarrierrec
func poolwatchFault(sig uint32, c *sigctxt, gp *g) bool {
	f := &poolwatchFaults
	if sig != _SIGSEGV || f.start == 0 || gp == nil {
		return false
	}
	addr := uintptr(c.sigaddr())
	if addr < f.start || addr >= f.end {
		return false
	}
	if i := atomic.Xadd(&f.n, 1) - 1; i-atomic.Load(&f.read) < uint32(len(f.list)) {
		x := &f.list[i%uint32(len(f.list))]
		x.addr = addr
		var u unwinder
		u.initAt(c.sigpc(), c.sigsp(), c.siglr(), gp, unwindSilentErrors|unwindTrap|unwindJumpStack)
		x.depth = tracebackPCs(&u, 0, x.pcs[:])
		x.done.Store(1)
	} else {
		atomic.Xadd(&f.n, -1)
	}
	return poolwatch_protect(f.start+(addr-f.start)/f.slot*f.slot, f.slot, true)
}

//go:linkname poolwatch_reserve internal/poolwatch.reserve
func poolwatch_reserve(n, slot uintptr) unsafe.Pointer {
	p, err := mmap(nil, n, _PROT_NONE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
	if err != 0 {
		return nil
	}
	f := &poolwatchFaults
	f.start, f.end, f.slot = uintptr(p), uintptr(p)+n, slot
	return p
}

//go:linkname poolwatch_protect internal/poolwatch.protect
func poolwatch_protect(p, n uintptr, accessible bool) bool {
	access := uintptr(_PROT_NONE)
	if accessible {
		access = _PROT_READ | _PROT_WRITE
	}
	_, _, errno := linux.Syscall6(linux.SYS_MPROTECT, p, n, access, 0, 0, 0)
	return errno == 0
}

//go:linkname poolwatch_discard internal/poolwatch.discard
func poolwatch_discard(p unsafe.Pointer, n uintptr) { madvise(p, n, _MADV_DONTNEED) }

//go:linkname poolwatch_nextFault internal/poolwatch.nextFault
func poolwatch_nextFault() (addr uintptr, pcs []uintptr) {
	f := &poolwatchFaults
	i := atomic.Load(&f.read)
	if i == atomic.Load(&f.n) {
		return 0, nil
	}
	x := &f.list[i%uint32(len(f.list))]
	if x.done.Load() == 0 {
		return 0, nil
	}
	addr, pcs = x.addr, append([]uintptr(nil), x.pcs[:x.depth]...)
	x.done.Store(0)
	atomic.Store(&f.read, i+1)
	return addr, pcs
}
