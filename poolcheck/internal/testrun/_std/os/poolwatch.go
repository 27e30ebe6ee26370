//go:build unix || windows

package os

import (
	"internal/poolwatch"
	"internal/poolwatch/protocol"
	"internal/strconv"
	"syscall"
	"time"
)

func init() {
	if dir, ok := syscall.Getenv(protocol.FolderVariable); ok {
		name := dir + "/" + strconv.Itoa(syscall.Getpid()) + protocol.Extension
		// The file is opened for each line, so that the program's file descriptors are
		// those that it has without this.
		poolwatch.SetSink(func(line []byte) { poolwatchWrite(name, syscall.O_APPEND, line) })
	}
	if !poolwatch.Sampling {
		return
	}
	poolwatch.Print = func(text []byte) { syscall.Write(syscall.Stderr, text) }
	poolwatch.Write = func(name string, text []byte) { poolwatchWrite(name, syscall.O_TRUNC, text) }
	poolwatch.Exit = func() { syscall.Exit(66) }
	go func() {
		for {
			time.Sleep(time.Second)
			poolwatch.Tick()
		}
	}()
}

func poolwatchWrite(name string, mode int, text []byte) {
	fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CREAT|mode|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return
	}
	syscall.Write(fd, text)
	syscall.Close(fd)
}
