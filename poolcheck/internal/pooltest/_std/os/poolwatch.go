//go:build unix || windows

package os

import (
	"internal/poolwatch"
	"syscall"
)

func init() {
	dir, ok := syscall.Getenv("POOLCHECK_WATCH_DIR")
	if !ok {
		return
	}
	name := dir + "/" + poolwatchName(syscall.Getpid()) + ".jsonl"
	// The file is opened for each line, so that the program's file descriptors are
	// those that it has without this.
	poolwatch.SetSink(func(line []byte) {
		fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND|syscall.O_CLOEXEC, 0o644)
		if err != nil {
			return
		}
		syscall.Write(fd, line)
		syscall.Close(fd)
	})
}

func poolwatchName(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return poolwatchName(n/10) + string(rune('0'+n%10))
}
