//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package postmortem

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/octet-go/octet/internal/emulator"
)

// reporterVariable is in the environment of the reporter alone.
const reporterVariable = "OCTET_GUARD_REPORTER"

// The reporter's files.
const (
	crashFile  = 0 // os.Stdin
	stderrFile = 2
	tableFile  = 3
)

// ofProgram says that this package is part of the program's file. One that came with a
// plugin is not: then the program, started once more, would not know this package and
// run a second time.
var ofProgram = initializedByRuntime()

func init() {
	if _, ok := syscall.Getenv(reporterVariable); ok && ofProgram {
		runReporter()
		// Whatever happened, the program must not run a second time. Unlike os.Exit,
		// this does not write coverage data.
		syscall.Exit(0)
	}
}

// initializedByRuntime reports whether the caller, which initializes its package, is
// called by the runtime alone. That initializes the packages of the program; those of a
// plugin are initialized by package plugin, in a call by the program.
func initializedByRuntime() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			return false
		}
		if !more {
			return true
		}
	}
}

// Start starts the reporter and returns the table that it reads.
//
// The reporter is a child process that ends with the program. The program need not
// wait for it, and a program that waits until it has no children waits for ever. It
// has the program's standard error open. It gets what the Go runtime prints when it
// ends the program, by [runtime/debug.SetCrashOutput], in place of a file that the
// program set before; if the program sets one later there are no reports from then
// on.
//
// The reporter is the program itself, started once more with an environment
// variable that the initialization of this package looks for: packages that are
// initialized earlier are initialized in the reporter, too. On Linux the report is
// complete before the program is gone, also where that is the first process of a
// container; on other systems it may come a moment later. No reporter is started by a
// plugin or a library, because the program would not be one, nor in QEMU's user mode,
// where what is forked may hang.
func Start() (*Table, error) {
	if emulator.Running() {
		return nil, errors.New("QEMU's user mode cannot be relied on to start a process")
	}
	path, err := ownPath()
	if err != nil {
		return nil, err
	}
	t, err := NewTable()
	if err != nil {
		return nil, err
	}
	if err := spawn(path, t.file); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// ownPath returns the path of the program, if that will be the reporter when it is
// started: a Go program, built as such, with this package in it.
func ownPath() (string, error) {
	if !ofProgram {
		return "", errors.New("octet is part of a plugin, and not of the program")
	}
	mode := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-buildmode" {
				mode = s.Value
			}
		}
	}
	if mode != "exe" && mode != "pie" { // c-shared, c-archive: the program is in another language
		return "", fmt.Errorf("octet is part of what was built with -buildmode=%q, and not of a program that can be started again", mode)
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
