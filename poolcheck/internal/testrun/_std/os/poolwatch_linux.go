package os

import (
	"internal/poolwatch"
	"syscall"
	"unsafe"
)

func init() {
	poolwatch.Reserve = func(n uintptr) unsafe.Pointer {
		p, _, errno := syscall.Syscall6(syscall.SYS_MMAP, 0, n, syscall.PROT_NONE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE, ^uintptr(0), 0)
		if errno != 0 {
			return nil
		}
		return *(*unsafe.Pointer)(unsafe.Pointer(&p))
	}
	poolwatch.Open = func(p unsafe.Pointer, n uintptr) bool {
		_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, uintptr(p), n, syscall.PROT_READ|syscall.PROT_WRITE)
		return errno == 0
	}
	poolwatch.Close = func(p unsafe.Pointer, n uintptr) bool {
		_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, uintptr(p), n, syscall.PROT_NONE)
		return errno == 0
	}
	poolwatch.Hide = func(p unsafe.Pointer, n uintptr) bool {
		ok := poolwatch.Close(p, n)
		syscall.Syscall(syscall.SYS_MADVISE, uintptr(p), n, syscall.MADV_DONTNEED)
		return ok
	}
}
