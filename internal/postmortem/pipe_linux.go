//go:build !race && !msan && !asan && !octet_purego

package postmortem

import (
	"io"
	"os"
	"syscall"
)

// Commands of fcntl. They have the same numbers everywhere.
const (
	setPipeSize = 1031
	getPipeSize = 1032
)

// crashPipe returns the ends of a pipe that has room for one write. In packet mode
// (O_DIRECT) each write takes a page of its own, and this pipe has a single page. If
// the kernel does not have that, it is an ordinary pipe.
func crashPipe() (r, w *os.File, err error) {
	var fds [2]int
	if syscall.Pipe2(fds[:], syscall.O_CLOEXEC|syscall.O_DIRECT) != nil {
		return os.Pipe()
	}
	fcntl(fds[1], setPipeSize, os.Getpagesize())
	return os.NewFile(uintptr(fds[0]), "crash"), os.NewFile(uintptr(fds[1]), "crash"), nil
}

// holdsWriter reports whether the pipe has room for one write only.
func holdsWriter(fd int) bool { return fcntl(fd, getPipeSize, 0) == os.Getpagesize() }

// letGo makes room for many writes, and reads them until the program is gone.
func letGo(r *os.File) {
	fcntl(int(r.Fd()), setPipeSize, 1<<20)
	io.Copy(io.Discard, r)
}

// fcntl returns -1 if there is an error.
func fcntl(fd, command, arg int) int {
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), uintptr(command), uintptr(arg))
	if errno != 0 {
		return -1
	}
	return int(n)
}

// closeInherited closes what the program itself inherited and nothing marked to be closed
// on exec. The program may close such a file for another process that waits for its end,
// which must not wait for this one. All that this process opened is marked.
func closeInherited() {
	for fd := tableFile + 1; fd < 1024; fd++ {
		if fcntl(fd, syscall.F_GETFD, 0) == 0 {
			syscall.Close(fd)
		}
	}
}
