//go:build !race && !msan && !asan && !octet_purego

package postmortem

import (
	"os"
	"strconv"
	"syscall"
)

// closeInherited closes the files that the program had inherited itself, and that this
// process has inherited from it, because nothing marked them to be closed on exec. The
// files that this process opened are marked.
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
