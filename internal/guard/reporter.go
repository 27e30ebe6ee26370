//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/octet-go/octet/internal/emulator"
)

// reporterVariable is in the environment of the reporter alone.
const reporterVariable = "OCTET_GUARD_REPORTER"

// The reporter's files.
const (
	crashFile  = 0
	stderrFile = 2
	tableFile  = 3
)

func init() {
	if _, ok := syscall.Getenv(reporterVariable); ok {
		runReporter()
		// Whatever happened, the program must not run a second time. Unlike os.Exit,
		// this does not write coverage data.
		syscall.Exit(0)
	}
}

// startReporter starts the reporter and returns the table that it reads.
func startReporter() (*table, error) {
	if emulator.Running() {
		return nil, errors.New("QEMU's user mode cannot be relied on to start a process")
	}
	path, err := ownPath()
	if err != nil {
		return nil, err
	}
	t, err := newTable()
	if err != nil {
		return nil, err
	}
	if err := spawn(path, t.file); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// ownPath returns the path of the program.
func ownPath() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-buildmode" && (s.Value == "c-shared" || s.Value == "c-archive" || s.Value == "plugin") {
				return "", errors.New("the program that runs this code, built with -buildmode=" + s.Value + ", is not a Go program")
			}
		}
	}
	if runtime.GOOS == "linux" {
		// This is the program even when its file was removed or replaced.
		const self = "/proc/self/exe"
		if _, err := os.Stat(self); err == nil {
			return self, nil
		}
	}
	return os.Executable()
}

// spawn starts the reporter and directs crash texts to it. This process alone has the
// end of the pipe to write to: it is closed in children, also while SetCrashOutput
// copies it. So the reporter reads the end of its input when this process is gone.
// The reporter gets a session of its own, so that signals from a terminal do not
// reach it.
func spawn(path string, table *os.File) error {
	r, w, err := crashPipe()
	if err != nil {
		return err
	}
	defer r.Close()
	defer w.Close()
	_, err = syscall.ForkExec(path, []string{os.Args[0]}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   append([]string{reporterVariable + "=1", "GOMAXPROCS=1"}, os.Environ()...),
		Files: []uintptr{crashFile: r.Fd(), 1: ^uintptr(0), stderrFile: 2, tableFile: table.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return &os.PathError{Op: "fork/exec", Path: path, Err: err}
	}
	return debug.SetCrashOutput(w, debug.CrashOptions{})
}
