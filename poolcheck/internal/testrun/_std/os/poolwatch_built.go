//go:build unix || windows

package os

import (
	"internal/poolwatch"
	"syscall"
	"time"
)

func init() {
	if !poolwatch.Sampling {
		return
	}
	poolwatch.Print = func(text []byte) { syscall.Write(syscall.Stderr, text) }
	poolwatch.Write = func(name string, text []byte) {
		fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o644)
		if err != nil {
			return
		}
		syscall.Write(fd, text)
		syscall.Close(fd)
	}
	poolwatch.Exit = func() { syscall.Exit(66) }
	go func() {
		for {
			time.Sleep(time.Second)
			poolwatch.Tick()
		}
	}()
}
