//go:build (darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package postmortem

import "os"

// crashPipe returns the ends of a pipe.
func crashPipe() (r, w *os.File, err error) { return os.Pipe() }

// holdsWriter returns false: these systems have no pipe with room for one write only.
func holdsWriter(int) bool { return false }

// closeInherited does nothing: what the program inherited stays open until it ends.
func closeInherited() {}

// letGo does nothing: the program has not been held.
func letGo(*os.File) {}
