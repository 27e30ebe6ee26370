//go:build !race && !msan && !asan && !octet_purego

package guard

import (
	"os"
	"syscall"
)

// Commands of fcntl. They have the same numbers everywhere.
const (
	setPipeSize = 1031
	getPipeSize = 1032
)

// crashPipe returns the ends of a pipe that holds one write at a time: in a pipe of
// packets each takes a page of its own, and this one has one page. Where there are
// no such pipes it is an ordinary one.
func crashPipe() (r, w *os.File, err error) {
	var fds [2]int
	if syscall.Pipe2(fds[:], syscall.O_CLOEXEC|syscall.O_DIRECT) != nil {
		return os.Pipe()
	}
	fcntl(fds[1], setPipeSize, os.Getpagesize())
	return os.NewFile(uintptr(fds[0]), "crash"), os.NewFile(uintptr(fds[1]), "crash"), nil
}

// holdsWriter reports whether the pipe holds one write at a time.
func holdsWriter(fd int) bool { return fcntl(fd, getPipeSize, 0) == os.Getpagesize() }

// letFlow makes room for many writes, as far as the system allows.
func letFlow(fd int) {
	for size := 1 << 20; size > os.Getpagesize() && fcntl(fd, setPipeSize, size) < 0; size /= 2 {
	}
}

// fcntl returns -1 if there is an error.
func fcntl(fd, command, arg int) int {
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), uintptr(command), uintptr(arg))
	if errno != 0 {
		return -1
	}
	return int(n)
}
