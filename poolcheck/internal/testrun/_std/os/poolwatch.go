//go:build unix || windows

package os

import (
	"internal/poolwatch"
	"internal/poolwatch/protocol"
	"internal/strconv"
	"syscall"
	"time"
)

// poolwatchBuilt says that poolcheck build makes this program, which changes it.
const poolwatchBuilt = false

func init() {
	if poolwatchBuilt {
		poolwatch.StartSampling()
	}
	if !poolwatch.Active {
		return
	}
	name := poolwatch.ReportPath()
	if !poolwatch.Sampling {
		name += "/" + strconv.Itoa(syscall.Getpid()) + protocol.Extension
	}
	// The file is opened for each text, so that the program's file descriptors are
	// those that it has without this.
	poolwatch.Sink = func(text []byte) {
		if name == "" {
			syscall.Write(syscall.Stderr, text)
			return
		}
		fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND|syscall.O_CLOEXEC, 0o644)
		if err != nil {
			return
		}
		syscall.Write(fd, text)
		syscall.Close(fd)
	}
	if !poolwatch.Sampling {
		return
	}
	poolwatch.Exit = func() { syscall.Exit(66) }
	go func() {
		for {
			time.Sleep(time.Second)
			poolwatch.Tick()
		}
	}()
}
