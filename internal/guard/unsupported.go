//go:build !(linux || darwin || freebsd || netbsd || dragonfly) || race || msan || asan || octet_purego

package guard

import (
	"errors"
	"runtime"
)

var errUnsupported = errors.New("guarded memory needs Linux, macOS, FreeBSD, NetBSD or DragonFly BSD (this is " + runtime.GOOS + "), and a build without the race detector, a sanitizer, and the tag octet_purego")

// Start returns why there is no guarded memory, as err.
func Start(live int) (reporterErr error, err error) { return nil, errUnsupported }

// Alloc reports false.
func Alloc(n, size int, pool string, acquired []uintptr) (b []byte, ok bool) { return nil, false }

// Free reports false.
func Free(b []byte, released []uintptr) bool { return false }

// Owns reports false.
func Owns(b []byte) bool { return false }

// Live returns zeros.
func Live() (n, bound int, refused uint64) { return 0, 0, 0 }
