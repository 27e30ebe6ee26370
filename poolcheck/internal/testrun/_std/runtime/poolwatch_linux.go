package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/syscall/linux"
	_ "unsafe"
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
	start := f.start + (addr-f.start)/f.slot*f.slot
	_, _, errno := linux.Syscall6(linux.SYS_MPROTECT, start, f.slot, _PROT_READ|_PROT_WRITE, 0, 0, 0)
	return errno == 0
}

//go:linkname poolwatch_setFaultRange internal/poolwatch.setFaultRange
func poolwatch_setFaultRange(start, size, slot uintptr) {
	poolwatchFaults.start, poolwatchFaults.end, poolwatchFaults.slot = start, start+size, slot
}

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
