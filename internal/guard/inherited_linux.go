//go:build !race && !msan && !asan && !octet_purego

package guard

import (
	"os"
	"strconv"
	"syscall"
)

// closeInherited closes the files that the reporter got from the program without
// wanting to: those that the program itself inherited, and which nobody marked to
// be closed. What this process opened is marked.
func closeInherited() {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil || fd <= tableFile {
			continue
		}
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			syscall.Close(fd)
		}
	}
}
