//go:build (freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"syscall"

	"github.com/octet-go/octet/internal/rt"
)

// protect makes the call by its number: package syscall has no function for it
// here.
//
// Sound: b is whole pages of one of our mappings, and not in Go's heap.
func protect(b []byte, prot int) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, rt.Address(b), uintptr(len(b)), uintptr(prot)); errno != 0 {
		return errno
	}
	return nil
}
