//go:build (linux || darwin) && !race && !msan && !asan && !octet_purego

package guard

import "syscall"

func protect(b []byte, prot int) error { return syscall.Mprotect(b, prot) }
